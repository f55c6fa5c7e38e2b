/** What a system call looks like to a filter (linux/seccomp.h, struct seccomp_data). */
export interface SystemCall {
  arch: number;
  number: number;
  arguments?: number[];
}

const LOAD = 0x20;
const AND = 0x54;
const RETURN = 0x06;
const JUMPS: Record<number, (value: number, operand: number) => boolean> = {
  21: (value, operand) => value === operand,
  53: (value, operand) => value >= operand,
  69: (value, operand) => (value & operand) !== 0,
};

/** Runs a program of classic BPF on a call as the kernel would; throws for whatever the kernel would not load. */
export function runFilter(program: Uint8Array, call: SystemCall): number {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const count = program.byteLength / 8;
  if (!Number.isInteger(count) || count === 0 || count > 4096) throw new Error(`${count} instructions`);
  const data = new DataView(new ArrayBuffer(64));
  data.setInt32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  for (const [index, value] of (call.arguments ?? []).entries())
    data.setBigUint64(16 + index * 8, BigInt.asUintN(64, BigInt(value)), true);
  let accumulator = 0;
  for (let at = 0; at < count; ) {
    const instruction = code.getUint16(at * 8, true);
    const operand = code.getUint32(at * 8 + 4, true);
    if (instruction === RETURN) return operand;
    if (instruction === LOAD) {
      if (operand % 4 !== 0 || operand > 60) throw new Error(`a load from ${operand}`);
      accumulator = data.getUint32(operand, true);
      at += 1;
      continue;
    }
    if (instruction === AND) {
      accumulator = (accumulator & operand) >>> 0;
      at += 1;
      continue;
    }
    const jump = JUMPS[instruction];
    if (!jump) throw new Error(`unknown instruction ${instruction}`);
    at += 1 + code.getUint8(at * 8 + (jump(accumulator, operand) ? 2 : 3));
  }
  throw new Error('the program runs past its end');
}

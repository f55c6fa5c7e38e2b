import { EXAMINED, FIRST_UNKNOWN, KERNEL, NAMESPACES, PROCESSES, UNCOUNTED_MEMORY } from './system-calls.ts';

/**
 * Whom a filter is for: `program` is one that somebody chose to run, with network and files; `code` is what a model
 * wrote, which has neither and whose memory is counted.
 */
export type FilterProfile = 'program' | 'code';

/** AUDIT_ARCH of the processors whose numbers are known (linux/audit.h), and their place in the tables. */
const MACHINES: Partial<Record<NodeJS.Architecture, { arch: number; column: 0 | 1 }>> = {
  x64: { arch: 0xc000003e, column: 0 },
  arm64: { arch: 0xc00000b7, column: 1 },
};
/** Every CLONE_NEW* of clone(2), and CLONE_NEWTIME, which only unshare(2) takes (linux/sched.h). */
const NEW_NAMESPACES = 0x7e020000;
const NEW_TIME = 0x80;
const AF_UNIX = 1;
/** MAP_SHARED and MAP_ANONYMOUS of mmap(2), the same on both processors. */
const SHARED_ANONYMOUS = 0x21;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

// Classic BPF (linux/filter.h, linux/seccomp.h).
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const NUMBER_AT = 0;
const ARCH_AT = 4;
/** Low halves of the first and the fourth argument; all flags and families looked at lie in them. */
const FIRST_ARGUMENT_AT = 16;
const FOURTH_ARGUMENT_AT = 40;

/** An instruction; a jump names the label it goes to, and goes on with the next instruction otherwise. */
type Line = { label: string } | { code: number; value: number; ifTrue?: string; ifFalse?: string };

/**
 * A seccomp program that refuses what a sandboxed program must not ask of the kernel: new namespaces and mounts, other
 * processes, and calls that are more often a way out than of use; for code also memory that no limit counts, and every
 * socket that is not local to the sandbox. Unknown calls do not exist. Undefined for processors whose numbers are not
 * known here.
 */
export function seccompFilter(
  profile: FilterProfile,
  architecture: NodeJS.Architecture = process.arch,
): Uint8Array | undefined {
  const machine = MACHINES[architecture];
  if (!machine) return undefined;
  const numberOf = (call: keyof typeof EXAMINED) => EXAMINED[call][machine.column];
  const isCode = profile === 'code';
  const refused = [NAMESPACES, KERNEL, PROCESSES, ...(isCode ? [UNCOUNTED_MEMORY] : [])]
    .flatMap((group) => Object.values(group) as (readonly [number, number?])[])
    .map((numbers) => numbers[machine.column])
    .filter((number) => number !== undefined);
  return assemble([
    { code: LOAD, value: ARCH_AT },
    { code: IF_EQUAL, value: machine.arch, ifFalse: 'refuse' },
    { code: LOAD, value: NUMBER_AT },
    // Calls of the x32 ABI are among them: they have a bit of their own above all others.
    { code: IF_AT_LEAST, value: FIRST_UNKNOWN, ifTrue: 'unknown' },
    // Its flags lie in memory, where a filter cannot look; the C library falls back to clone.
    { code: IF_EQUAL, value: numberOf('clone3'), ifTrue: 'unknown' },
    { code: IF_EQUAL, value: numberOf('clone'), ifTrue: 'clone' },
    { code: IF_EQUAL, value: numberOf('unshare'), ifTrue: 'unshare' },
    ...(isCode
      ? [
          { code: IF_EQUAL, value: numberOf('socket'), ifTrue: 'socket' },
          { code: IF_EQUAL, value: numberOf('socketpair'), ifTrue: 'socket' },
          { code: IF_EQUAL, value: numberOf('mmap'), ifTrue: 'mmap' },
        ]
      : []),
    ...refused.map((value) => ({ code: IF_EQUAL, value, ifTrue: 'refuse' })),
    { code: RETURN, value: ALLOW },
    { label: 'clone' },
    { code: LOAD, value: FIRST_ARGUMENT_AT },
    { code: IF_ANY_BIT, value: NEW_NAMESPACES, ifTrue: 'refuse' },
    { code: RETURN, value: ALLOW },
    { label: 'unshare' },
    { code: LOAD, value: FIRST_ARGUMENT_AT },
    { code: IF_ANY_BIT, value: NEW_NAMESPACES | NEW_TIME, ifTrue: 'refuse' },
    { code: RETURN, value: ALLOW },
    // Not every family has a namespace: a virtual machine reaches its host by AF_VSOCK without any network.
    { label: 'socket' },
    { code: LOAD, value: FIRST_ARGUMENT_AT },
    { code: IF_EQUAL, value: AF_UNIX, ifFalse: 'family' },
    { code: RETURN, value: ALLOW },
    // Pages that a process shares with a child belong to neither until it touches them.
    { label: 'mmap' },
    { code: LOAD, value: FOURTH_ARGUMENT_AT },
    { code: AND, value: SHARED_ANONYMOUS },
    { code: IF_EQUAL, value: SHARED_ANONYMOUS, ifTrue: 'refuse' },
    { code: RETURN, value: ALLOW },
    { label: 'family' },
    { code: RETURN, value: ERRNO | EAFNOSUPPORT },
    { label: 'refuse' },
    { code: RETURN, value: ERRNO | EPERM },
    { label: 'unknown' },
    { code: RETURN, value: ERRNO | ENOSYS },
  ]);
}

function assemble(lines: Line[]): Uint8Array {
  const places = new Map<string, number>();
  const program = lines.filter((line) => 'code' in line);
  let count = 0;
  for (const line of lines)
    if ('label' in line) places.set(line.label, count);
    else count++;
  const view = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, value, ifTrue, ifFalse }] of program.entries()) {
    // Jumps count from the next instruction and are one byte.
    const distance = (label: string | undefined) => (label === undefined ? 0 : places.get(label)! - index - 1);
    if (Math.max(distance(ifTrue), distance(ifFalse)) > 0xff) throw new RangeError('The filter is too long.');
    const at = index * 8;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, distance(ifTrue));
    view.setUint8(at + 3, distance(ifFalse));
    view.setUint32(at + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

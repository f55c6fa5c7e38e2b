/** Numbers that differ by processor: AUDIT_ARCH and the system calls (linux/audit.h, asm/unistd.h). */
const MACHINES: Partial<Record<NodeJS.Architecture, { arch: number; clone: number; unshare: number; setns: number }>> =
  {
    x64: { arch: 0xc000003e, clone: 56, unshare: 272, setns: 308 },
    arm64: { arch: 0xc00000b7, clone: 220, unshare: 97, setns: 268 },
  };
const CLONE3 = 435;
const CLONE_NEWUSER = 0x10000000;
/** Calls of the x32 ABI have this bit and numbers of their own. */
const X32 = 0x40000000;
const EPERM = 1;
const ENOSYS = 38;

// Classic BPF (linux/filter.h, linux/seccomp.h).
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const NUMBER_AT = 0;
const ARCH_AT = 4;
const FIRST_ARGUMENT_AT = 16;

/**
 * A seccomp program that forbids new user namespaces: in one of its own the code would be allowed to mount, and a
 * tmpfs of any size would get around the limit of /tmp. Undefined for processors whose numbers are not known here.
 */
export function userNamespaceFilter(architecture: NodeJS.Architecture = process.arch): Uint8Array | undefined {
  const machine = MACHINES[architecture];
  if (!machine) return undefined;
  const CHECK = 9;
  const DENY = 12;
  const UNKNOWN = 13;
  const program: [code: number, value: number, ifTrue?: number, ifFalse?: number][] = [
    [LOAD, ARCH_AT],
    [IF_EQUAL, machine.arch, 2, DENY],
    [LOAD, NUMBER_AT],
    [IF_AT_LEAST, X32, DENY, 4],
    // Its flags lie in memory, where a filter cannot look; the C library falls back to clone.
    [IF_EQUAL, CLONE3, UNKNOWN, 5],
    [IF_EQUAL, machine.unshare, CHECK, 6],
    [IF_EQUAL, machine.clone, CHECK, 7],
    [IF_EQUAL, machine.setns, DENY, 8],
    [RETURN, ALLOW],
    [LOAD, FIRST_ARGUMENT_AT],
    [IF_ANY_BIT, CLONE_NEWUSER, DENY, 11],
    [RETURN, ALLOW],
    [RETURN, ERRNO | EPERM],
    [RETURN, ERRNO | ENOSYS],
  ];
  const view = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, [code, value, ifTrue, ifFalse]] of program.entries()) {
    const at = index * 8;
    view.setUint16(at, code, true);
    // Jumps count from the next instruction.
    view.setUint8(at + 2, ifTrue === undefined ? 0 : ifTrue - index - 1);
    view.setUint8(at + 3, ifFalse === undefined ? 0 : ifFalse - index - 1);
    view.setUint32(at + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

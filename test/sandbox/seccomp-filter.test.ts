import { describe, expect, test } from 'bun:test';
import { type FilterProfile, seccompFilter } from '../../src/sandbox/seccomp-filter.ts';
import { runFilter } from './run-filter.ts';

const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const EPERM = ERRNO | 1;
const ENOSYS = ERRNO | 38;
const EAFNOSUPPORT = ERRNO | 97;
const ARCH = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028 };

/** Numbers from the kernel's own headers (6.1), typed here again so that a slip in the tables shows. */
type Row = [call: string, x64: number | undefined, arm64: number | undefined, args?: number[]];
const ALLOWED: Row[] = [
  ['read', 0, 63],
  ['openat', 257, 56],
  ['mmap of private memory', 9, 222, [0, 4096, 3, 0x22]],
  ['mmap of a file', 9, 222, [0, 4096, 3, 0x01]],
  ['futex', 202, 98],
  ['clone of a thread', 56, 220, [0x3d0f00]],
  ['clone of a process', 56, 220, [0x1200011]],
  ['fork', 57, undefined],
  ['vfork', 58, undefined],
  ['execve', 59, 221],
  ['setresuid', 117, 147],
  ['prlimit64', 302, 261],
  ['unshare of files', 272, 97, [0x400]],
  ['a local socket', 41, 198, [1]],
  ['a pair of local sockets', 53, 199, [1]],
  ['pipe2', 293, 59],
  ['getrandom', 318, 278],
  ['faccessat2', 439, 439],
  ['pidfd_open', 434, 434],
];
const REFUSED: Row[] = [
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['move_mount', 429, 429],
  ['fsmount', 432, 432],
  ['setns', 308, 268],
  ...[0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000].flatMap((flag): Row[] => [
    [`clone with 0x${flag.toString(16)}`, 56, 220, [flag | 17]],
    [`unshare of 0x${flag.toString(16)}`, 272, 97, [flag]],
  ]),
  ['unshare of the time', 272, 97, [0x80]],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
  ['bpf', 321, 280],
  ['userfaultfd', 323, 282],
  ['perf_event_open', 298, 241],
  ['keyctl', 250, 219],
  ['add_key', 248, 217],
  ['ptrace', 101, 117],
  ['process_vm_readv', 310, 270],
  ['process_vm_writev', 311, 271],
  ['pidfd_getfd', 438, 438],
  ['kexec_load', 246, 104],
  ['init_module', 175, 105],
  ['finit_module', 313, 273],
  ['open_by_handle_at', 304, 265],
  ['reboot', 169, 142],
  ['swapon', 167, 224],
  ['iopl', 172, undefined],
  ['modify_ldt', 154, undefined],
  ['memfd_secret', 447, 447],
];
/** Refused to code; a program may use them. */
const UNCOUNTED: Row[] = [
  ['memfd_create', 319, 279],
  ['shmget', 29, 194],
  ['shmat', 30, 196],
  ['msgget', 68, 186],
  ['semget', 64, 190],
  ['mq_open', 240, 180],
  ['vmsplice', 278, 75],
  ['io_setup', 206, 0],
  ['mmap of shared memory', 9, 222, [0, 4096, 3, 0x21]],
  ['mmap of shared memory, checked', 9, 222, [0, 4096, 3, 0x4023]],
];
const FAMILIES: Row[] = [
  ...[2, 10, 16, 17, 38, 40].map((family): Row => [`a socket of family ${family}`, 41, 198, [family]]),
  ['a pair of sockets of another family', 53, 199, [30]],
];
const UNKNOWN: Row[] = [
  ['clone3', 435, 435],
  ['the first call nobody has looked at', 451, 451],
  ['a call of years to come', 999, 999],
  ['a call of the x32 ABI', 0x40000000 | 39, 0x40000000 | 172],
  ['a negative number', -1, -1],
];

describe.each(['x64', 'arm64'] as const)('the filter for %s', (machine) => {
  const answer = (profile: FilterProfile, [, x64, arm64, args]: Row, arch = ARCH[machine]) => {
    const number = machine === 'x64' ? x64 : arm64;
    if (number === undefined) return undefined;
    return runFilter(seccompFilter(profile, machine)!, { arch, number, arguments: args ?? [] });
  };
  const check = (profile: FilterProfile, rows: Row[], expected: number) => {
    for (const row of rows) expect([row[0], answer(profile, row) ?? expected]).toEqual([row[0], expected]);
  };

  test('lets programs compute', () => {
    check('code', ALLOWED, ALLOW);
    check('program', ALLOWED, ALLOW);
  });

  test('refuses new namespaces, mounts, other processes and the doors into the kernel', () => {
    check('code', REFUSED, EPERM);
    check('program', REFUSED, EPERM);
  });

  test('refuses code the memory that no limit counts', () => {
    check('code', UNCOUNTED, EPERM);
    check('program', UNCOUNTED, ALLOW);
  });

  test('refuses code every socket but local ones', () => {
    check('code', FAMILIES, EAFNOSUPPORT);
    check('program', FAMILIES, ALLOW);
  });

  test('knows no call that is newer than itself, and no other ABI', () => {
    check('code', UNKNOWN, ENOSYS);
    check('program', UNKNOWN, ENOSYS);
  });

  test('looks at the low half of flags and families, as the kernel does', () => {
    const row: Row = ['clone', 56, 220, [2 ** 32 + 0x10000000]];
    expect(answer('code', row)).toBe(EPERM);
    expect(answer('code', ['socket', 41, 198, [2 ** 32 + 2]])).toBe(EAFNOSUPPORT);
  });

  test('refuses the calls of every other processor', () => {
    for (const arch of Object.values(ARCH).filter((value) => value !== ARCH[machine]))
      for (const row of ALLOWED) expect(answer('code', row, arch) ?? EPERM).toBe(EPERM);
  });
});

test('there is no filter for a processor whose numbers are not known', () => {
  expect(seccompFilter('code', 'riscv64')).toBeUndefined();
});

/** linux/prctl.h */
const PR_SET_DUMPABLE = 4;
/** The C library of glibc and of musl systems. */
const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`, 'libc.so'];

/**
 * Closes this process to others of the same user: its environment and memory in `/proc`, and debuggers (prctl(2),
 * PR_SET_DUMPABLE); it also leaves no core dump. Programs it starts are as open as ever, and root is not kept out.
 * `variables` are those whose values are overwritten in the memory that `/proc/PID/environ` shows. Linux only.
 */
export async function closeProcess(variables: readonly string[] = []): Promise<void> {
  if (process.platform !== 'linux') return;
  const { dlopen, toArrayBuffer } = await import('bun:ffi');
  for (const name of LIBRARIES) {
    try {
      const { symbols } = dlopen(name, {
        prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
        getenv: { args: ['cstring'], returns: 'ptr' },
        strlen: { args: ['ptr'], returns: 'u64' },
      });
      symbols.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n);
      for (const variable of variables) {
        const value = symbols.getenv(Buffer.from(`${variable}\0`));
        const length = value === null ? 0 : Number(symbols.strlen(value));
        if (value !== null && length > 0) new Uint8Array(toArrayBuffer(value, 0, length)).fill(0);
      }
      return;
    } catch {
      // Not the C library of this system.
    }
  }
}

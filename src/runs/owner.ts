import { hostname } from 'node:os';

/** Names this process: `<host>:<pid>:<random>`. */
export function createOwner(): string {
  return `${hostname()}:${process.pid}:${crypto.randomUUID().slice(0, 8)}`;
}

/** True when `owner` was a process of this machine that no longer exists. */
export function isDeadOwner(owner: string, self: string): boolean {
  if (owner === self) return false;
  const [host, pid] = splitOwner(owner);
  const [ownHost, ownPid] = splitOwner(self);
  if (host !== ownHost) return false;
  return pid === ownPid || !isAlive(pid);
}

function splitOwner(owner: string): [string, number] {
  const parts = owner.split(':');
  return [parts.slice(0, -2).join(':'), Number(parts.at(-2))];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

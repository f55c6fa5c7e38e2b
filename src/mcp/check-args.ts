import { type Profile, profileOf } from './command-profiles.ts';
import { isLauncher } from './launchers.ts';

const MAX_ARGS = 100;
const MAX_ARG_LENGTH = 4096;
/** No shell reads the arguments; programs that hand them to one would run what stands behind these. */
const SHELL_CHARACTERS = /[;&|`$<>]/;
/** Flags by which programs take code; refused anywhere, because some programs read flags behind the first name too. */
const CODE_FLAGS = /^(-c|-e|-pe|--eval|--exec|--call|--command)(=.*)?$/s;

/** What the machine says about names that arguments hold. */
export interface ArgsPolicy {
  /** What is wrong with a script; undefined when it lies where requests may start scripts. */
  refuseScript(path: string): string | undefined;
  /** Whether the machine has a program of this name: a runner would start that instead of one of the package. */
  isInstalled(program: string): boolean;
}

/** What is wrong with the arguments a request gives to a program; undefined when they may be used. */
export function checkArgs(command: string, args: readonly string[], policy: ArgsPolicy): string | undefined {
  const profile = profileOf(command);
  if (!profile && isLauncher(command))
    return `${command} starts whatever its arguments say, so requests may not use it; the operator can put the server into mcp.servers.`;
  if (args.length > MAX_ARGS) return `There may be at most ${MAX_ARGS} arguments.`;
  for (const arg of args) {
    const problem = checkText(arg);
    if (problem) return problem;
  }
  const words = profile && readWords(command, profile, args);
  if (typeof words === 'string') return words;
  // `docker run -e NAME` sets a variable: before the image `-e` is no code.
  const code = args.slice(words?.nameAt ?? 0).find((arg) => CODE_FLAGS.test(arg));
  if (code !== undefined) return `The argument ${code.split('=')[0]} hands over code or a command and is not allowed.`;
  return profile && words && checkName(command, profile, words, policy);
}

function checkText(arg: string): string | undefined {
  if (arg.length > MAX_ARG_LENGTH) return `An argument may have at most ${MAX_ARG_LENGTH} characters.`;
  if (/\p{Cc}/u.test(arg) || !arg.isWellFormed()) return 'An argument must not hold control characters or line breaks.';
  const found = SHELL_CHARACTERS.exec(arg);
  if (found) return `An argument must not hold the shell character ${found[0]}`;
  if (/(^|[\\/=:,@])\.\.([\\/]|$)/.test(arg)) return 'An argument must not lead out of its folder with "..".';
  if (/(^|=)\/+(\.\/+)*(dev|proc|sys)(\/|$)/.test(arg))
    return 'An argument must not name a device or a process of the system.';
  return undefined;
}

interface Words {
  /** Index of the script, package or image. */
  nameAt: number;
  name: string;
  /** A flag has named the package: the word is the name of a program in it. */
  isProgram: boolean;
}

/** Reads the program's own flags up to the first word that is none; a sentence when one of them is not allowed. */
function readWords(command: string, profile: Profile, args: readonly string[]): Words | string {
  let index = 0;
  const { subcommand } = profile;
  if (subcommand && args[0] === subcommand.word) index = 1;
  else if (subcommand?.required) return `Only "${command} ${subcommand.word}" is allowed.`;
  let isProgram = false;
  for (; index < args.length; index++) {
    const arg = args[index] as string;
    if (!arg.startsWith('-') || arg === '-') break;
    const [flag, inline] = splitFlag(arg);
    const rule = Object.hasOwn(profile.flags, flag) ? profile.flags[flag] : undefined;
    if (rule === undefined) return `The flag ${flag} of ${command} is not allowed.`;
    if (rule === true) {
      if (inline !== undefined) return `The flag ${flag} of ${command} takes no value.`;
      continue;
    }
    const isOptional = typeof rule === 'object';
    const value = inline ?? (isOptional ? '' : args[++index]);
    if (value === undefined) return `The flag ${flag} of ${command} needs a value.`;
    const problem = isOptional ? rule.inline(value) : rule(value);
    if (problem) return problem;
    isProgram ||= profile.packageFlags?.includes(flag) ?? false;
  }
  const name = args[index];
  if (name === undefined) return `${command} needs ${profile.needs}.`;
  return { nameAt: index, name, isProgram };
}

function checkName(
  command: string,
  profile: Profile,
  { name, isProgram }: Words,
  policy: ArgsPolicy,
): string | undefined {
  if (profile.names === 'script') return policy.refuseScript(name);
  const problem = isProgram ? checkProgram(name) : profile.checkName?.(name);
  if (problem || profile.names === 'image') return problem;
  if (isLauncher(name)) return `${command} must not start another launcher (${name}).`;
  return policy.isInstalled(programOf(name))
    ? `This machine has a program called ${programOf(name)}, which ${command} could start in place of the package; the operator can put the server into mcp.servers.`
    : undefined;
}

function checkProgram(name: string): string | undefined {
  return /^[A-Za-z0-9][\w.-]{0,200}$/.test(name) ? undefined : 'The program of a package must be a bare name.';
}

/** The program that a runner takes a package for: `@scope/name@1.2` is `name`. */
function programOf(name: string): string {
  const unscoped = name.split('/').at(-1) as string;
  return unscoped.split(/[@=~[]/)[0] as string;
}

function splitFlag(arg: string): [string, string | undefined] {
  const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

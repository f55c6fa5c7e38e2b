import { PROFILES, type Profile } from './command-profiles.ts';

const MAX_ARGS = 100;
const MAX_ARG_LENGTH = 4096;
/** No shell reads the arguments; programs that hand them to one would run what stands behind these. */
const SHELL_CHARACTERS = /[;&|`$<>]/;
/** Flags by which programs take code; refused anywhere, because some programs read flags behind the first name too. */
const CODE_FLAGS = /^(-c|-e|-pe|--eval|--exec|--call|--command)(=.*)?$/s;
/** Programs that would run whatever follows them, when a launcher starts them. */
const LAUNCHERS = new Set(
  `sh bash zsh dash ash ksh fish csh tcsh busybox cmd cmd.exe powershell pwsh env sudo xargs node nodejs bun deno python
  python2 python3 ipython perl ruby php lua tsx ts-node zx shx shelljs npm npx pnpm yarn bunx uv uvx pip pipx cross-env
  env-cmd dotenv dotenv-cli concurrently npm-run-all nodemon execa-cli run-script-os`.split(/\s+/),
);

/** What is wrong with the arguments a request gives to a program; undefined when they may be used. */
export function checkArgs(command: string, args: readonly string[]): string | undefined {
  if (args.length > MAX_ARGS) return `There may be at most ${MAX_ARGS} arguments.`;
  for (const arg of args) {
    const problem = checkText(arg);
    if (problem) return problem;
  }
  const profile = PROFILES[command];
  const code = args.find((arg, index) => CODE_FLAGS.test(arg) && !isProgramFlag(profile, args, index));
  if (code !== undefined) return `The argument ${code.split('=')[0]} hands over code or a command and is not allowed.`;
  return profile && checkProfile(command, profile, args);
}

function checkText(arg: string): string | undefined {
  if (arg.length > MAX_ARG_LENGTH) return `An argument may have at most ${MAX_ARG_LENGTH} characters.`;
  if (/\p{Cc}/u.test(arg)) return 'An argument must not hold control characters or line breaks.';
  const found = SHELL_CHARACTERS.exec(arg);
  if (found) return `An argument must not hold the shell character ${found[0]}`;
  if (/(^|[\\/=:,])\.\.([\\/]|$)/.test(arg)) return 'An argument must not lead out of its folder with "..".';
  if (/(^|=)\/+(\.\/+)*(dev|proc|sys)(\/|$)/.test(arg))
    return 'An argument must not name a device or a process of the system.';
  return undefined;
}

/** `docker run -e NAME` sets a variable: before the image `-e` is no code. */
function isProgramFlag(profile: Profile | undefined, args: readonly string[], index: number): boolean {
  if (!profile) return false;
  const flag = (args[index] as string).split('=')[0] as string;
  if (!(flag in profile.flags)) return false;
  return index < firstName(profile, args);
}

/** Index of the script, package or image: the first word that is neither a flag nor the value of one. */
function firstName(profile: Profile, args: readonly string[]): number {
  let index = profile.subcommand ? 1 : 0;
  while (index < args.length) {
    const arg = args[index] as string;
    if (!arg.startsWith('-') || arg === '-') return index;
    const takesValue = typeof profile.flags[arg] === 'function';
    index += takesValue ? 2 : 1;
    if (profile.moduleFlag && arg === profile.moduleFlag) return index - 1;
  }
  return args.length;
}

function checkProfile(command: string, profile: Profile, args: readonly string[]): string | undefined {
  let index = 0;
  if (profile.subcommand) {
    if (args[0] !== profile.subcommand) return `Only "${command} ${profile.subcommand}" is allowed.`;
    index = 1;
  }
  let named = false;
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
    const value = inline ?? args[++index];
    if (value === undefined) return `The flag ${flag} of ${command} needs a value.`;
    const problem = rule(value);
    if (problem) return problem;
    if (flag === profile.moduleFlag) return undefined;
    if (profile.packageFlags?.includes(flag)) named = true;
  }
  const name = args[index];
  if (name === undefined) return `${command} needs ${profile.needs}.`;
  if (profile.launches && isLauncher(name)) return `${command} must not start another launcher (${name}).`;
  // With `--package x` the word is the name of a program in it.
  return named ? undefined : profile.name(name);
}

function splitFlag(arg: string): [string, string | undefined] {
  const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

function isLauncher(name: string): boolean {
  const [bare = ''] = (name.split(/[\\/]/).at(-1) ?? '').toLowerCase().split('@', 1);
  return LAUNCHERS.has(bare);
}

import { checkEnvName } from './check-env.ts';

/**
 * `true`: the flag stands alone; a function: it takes a value and says what is wrong with it; `inline`: a value may
 * follow behind `=` only.
 */
type FlagRule = true | ValueRule | { inline: ValueRule };
type ValueRule = (value: string) => string | undefined;

/** What a request may hand to a program before the name of the script, package or image. */
export interface Profile {
  /** What the first word behind the flags names. */
  names: 'package' | 'script' | 'image';
  flags: Record<string, FlagRule>;
  /** First word that must be there, or may be there. */
  subcommand?: { word: string; required: boolean };
  /** Flags that name the package; the word behind them is then a program in it. */
  packageFlags?: string[];
  /** What is wrong with the name of the package or image; where scripts may lie is not known here. */
  checkName?: ValueRule;
  /** Words for an error: what is missing. */
  needs: string;
}

const matching =
  (pattern: RegExp, problem: string): ValueRule =>
  (value) =>
    pattern.test(value) ? undefined : problem;

/** What package managers take for a file although it has no slash (npm-package-arg, `isFilename`). */
const LOOKS_LIKE_FILE = /\.(tgz|tar|gz|git|zip|whl)$/i;
const NO_PACKAGE =
  'The package must be a name of the registry, with a version if wanted; no path, address, archive, alias or repository.';
/** `name`, `@scope/name`, and a version, range or tag behind `@`: never `npm:`, a path or an archive. */
const NPM_NAME =
  /^(?:@[a-z0-9][a-z0-9._-]{0,100}\/)?[a-z0-9][a-z0-9._-]{0,200}(?:@(?:[~^]?\d[0-9A-Za-z.*+-]{0,60}|[a-z][a-z0-9-]{0,40}))?$/i;
/** `name`, extras in brackets, and a version behind `==`, `~=` or `@`. */
const PYTHON_NAME = /^[a-z0-9][\w.-]{0,200}(?:\[[\w.,-]{1,200}\])?(?:(?:==|~=|@)(?:\d[\w.*+!-]{0,60}|latest))?$/i;

const packageName =
  (pattern: RegExp): ValueRule =>
  (value) =>
    pattern.test(value) && !LOOKS_LIKE_FILE.test(value) ? undefined : NO_PACKAGE;
const npmPackage = packageName(NPM_NAME);
const pythonPackage = packageName(PYTHON_NAME);
const pythonVersion = matching(/^\d+(\.\d+){0,2}$/, 'The Python of uvx must be a version.');

/** Registries an image may come from; a name without a host is one of Docker Hub. */
const IMAGE_HOSTS = [
  'docker.io',
  'ghcr.io',
  'quay.io',
  'gcr.io',
  'mcr.microsoft.com',
  'public.ecr.aws',
  'registry.gitlab.com',
];

function image(value: string): string | undefined {
  if (!/^[a-z0-9][\w./-]{0,200}(:[\w.-]{1,128})?(@sha256:[0-9a-f]{64})?$/i.test(value))
    return 'The name of the image is not valid.';
  const [host = '', ...rest] = value.split('/');
  // Docker's own rule: the first part is a host when it has a dot or a port, or is localhost.
  const isHost = rest.length > 0 && (/[.:]/.test(host) || host === 'localhost');
  return isHost && !IMAGE_HOSTS.includes(host.toLowerCase())
    ? `The image must come from Docker Hub or ${IMAGE_HOSTS.slice(1).join(', ')}.`
    : undefined;
}

/** The programs whose arguments we know; one of his own that the operator allows is only checked for code and shells. */
const PROFILES: Record<string, Profile> = {
  node: {
    names: 'script',
    flags: {
      '--no-warnings': true,
      '--no-deprecation': true,
      '--enable-source-maps': true,
      '--experimental-strip-types': true,
      '--experimental-transform-types': true,
      // Without `=` node would take the number for the script.
      '--max-old-space-size': { inline: matching(/^\d{1,6}$/, 'The memory of node must be a number behind =.') },
    },
    needs: 'a script',
  },
  python3: {
    names: 'script',
    flags: { '-u': true, '-B': true, '-E': true, '-I': true, '-s': true, '-S': true, '-O': true, '-q': true },
    needs: 'a script',
  },
  bun: {
    names: 'script',
    subcommand: { word: 'run', required: false },
    flags: { '--silent': true, '--smol': true },
    needs: 'a script',
  },
  deno: {
    names: 'script',
    subcommand: { word: 'run', required: true },
    flags: {
      '-q': true,
      '--quiet': true,
      '-A': true,
      '--allow-all': true,
      '--no-prompt': true,
      '--no-remote': true,
      '--cached-only': true,
      '--allow-net': { inline: () => undefined },
      '--allow-env': { inline: () => undefined },
      '--allow-read': { inline: () => undefined },
      '--allow-write': { inline: () => undefined },
      '--allow-sys': { inline: () => undefined },
    },
    needs: 'a script',
  },
  npx: {
    names: 'package',
    flags: {
      '-y': true,
      '--yes': true,
      '-q': true,
      '--quiet': true,
      '--silent': true,
      '--offline': true,
      '--prefer-offline': true,
      '-p': npmPackage,
      '--package': npmPackage,
    },
    packageFlags: ['-p', '--package'],
    checkName: npmPackage,
    needs: 'a package',
  },
  bunx: {
    names: 'package',
    flags: { '--bun': true, '-y': true, '--yes': true, '--silent': true, '-p': npmPackage, '--package': npmPackage },
    packageFlags: ['-p', '--package'],
    checkName: npmPackage,
    needs: 'a package',
  },
  uvx: {
    names: 'package',
    flags: {
      '-q': true,
      '--quiet': true,
      '--offline': true,
      '--isolated': true,
      '--from': pythonPackage,
      '--with': pythonPackage,
      '-p': pythonVersion,
      '--python': pythonVersion,
    },
    packageFlags: ['--from'],
    checkName: pythonPackage,
    needs: 'a package',
  },
  docker: {
    names: 'image',
    subcommand: { word: 'run', required: true },
    flags: {
      '-i': true,
      '--interactive': true,
      '--rm': true,
      '--init': true,
      '--read-only': true,
      '-q': true,
      '--quiet': true,
      '-e': dockerVariable,
      '--env': dockerVariable,
      '--name': matching(/^[\w.-]+$/, 'The name of the container has characters it cannot have.'),
      '--network': matching(/^(none|bridge)$/, 'The network of a container must be none or bridge.'),
      '--platform': matching(/^[\w/.-]+$/, 'The platform is not valid.'),
      '--pull': matching(/^(always|missing|never)$/, 'The value of --pull is not valid.'),
      '-m': matching(/^\d+[bkmg]?$/i, 'The memory of a container must be a number.'),
      '--memory': matching(/^\d+[bkmg]?$/i, 'The memory of a container must be a number.'),
      '--cpus': matching(/^\d+(\.\d+)?$/, 'The processors of a container must be a number.'),
      '--pids-limit': matching(/^\d+$/, 'The process limit of a container must be a number.'),
      '--cap-drop': matching(/^\w+$/, 'The capability is not valid.'),
      '--security-opt': matching(/^no-new-privileges(:true)?$/, 'Only --security-opt no-new-privileges is allowed.'),
    },
    checkName: image,
    needs: 'an image',
  },
};

/** The rules for a program, also under its other names (`nodejs`, `python3.12`); undefined for one we do not know. */
export function profileOf(command: string): Profile | undefined {
  if (command === 'nodejs') return PROFILES['node'];
  if (/^python(\d(\.\d+)?)?$/.test(command)) return PROFILES['python3'];
  return Object.hasOwn(PROFILES, command) ? PROFILES[command] : undefined;
}

function dockerVariable(value: string): string | undefined {
  return checkEnvName(value.split('=')[0] as string);
}

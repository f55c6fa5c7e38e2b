import { checkEnvName } from './check-env.ts';

/** `true`: the flag stands alone; a function: it takes a value and says what is wrong with it. */
type FlagRule = true | ((value: string) => string | undefined);

/** What a request may hand to a program before the name of the script, package or image. */
export interface Profile {
  flags: Record<string, FlagRule>;
  /** First word that must be there. */
  subcommand?: string;
  /** The flag that names a module and ends the program's own flags. */
  moduleFlag?: string;
  /** Flags that name the package; the word behind them is then a program in it. */
  packageFlags?: string[];
  /** It fetches a package and starts a program of it; other launchers must not be among them. */
  launches?: boolean;
  /** What is wrong with the script, package or image. */
  name(value: string): string | undefined;
  /** Words for an error: what is missing. */
  needs: string;
}

const matching =
  (pattern: RegExp, problem: string): FlagRule & ((value: string) => string | undefined) =>
  (value) =>
    pattern.test(value) ? undefined : problem;

const npmPackage = matching(
  /^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(@[\w.^~*+-]+)?$/i,
  'The package must be a name of the registry, with a version if wanted; no path, address or repository.',
);
const pythonPackage = matching(
  /^[a-z0-9][\w.-]*(\[[\w.,-]+\])?((==|~=|@)[\w.*+!-]+)?$/i,
  'The package must be a name of the registry, with a version if wanted; no path, address or repository.',
);
const script = (value: string): string | undefined => {
  if (value === '-') return 'A program from the standard input is not allowed.';
  return /^[a-z][a-z0-9+.-]+:/i.test(value) ? 'The script must be a file, not an address.' : undefined;
};

/** Modules of Python's own library that run code, open a shell or install things when started with `-m`. */
const PYTHON_MODULES = new Set(
  `antigravity asyncio bdb cProfile code codeop compileall cgitb ctypes dis doctest ensurepip http idlelib imp importlib
  inspect IPython ipykernel jupyter lib2to3 pdb pickle pickletools pip pipx profile pstats py_compile pyclbr pydoc runpy
  shlex site smtpd sqlite3 subprocess test this timeit tkinter trace turtledemo unittest uv venv virtualenv webbrowser
  wsgiref xmlrpc zipapp zipimport`.split(/\s+/),
);

/** The programs we know; one the operator adds is only checked for code, shell characters and traversal. */
export const PROFILES: Record<string, Profile> = {
  node: {
    flags: {
      '--no-warnings': true,
      '--no-deprecation': true,
      '--enable-source-maps': true,
      '--experimental-strip-types': true,
      '--experimental-transform-types': true,
      '--max-old-space-size': matching(/^\d{1,6}$/, 'The memory of node must be a number.'),
    },
    name: (value) => (value === 'inspect' ? 'node inspect is not allowed.' : script(value)),
    needs: 'a script',
  },
  python3: {
    flags: {
      '-u': true,
      '-B': true,
      '-E': true,
      '-I': true,
      '-s': true,
      '-S': true,
      '-O': true,
      '-q': true,
      '-m': (value) => {
        if (!/^[A-Za-z_][\w.]*$/.test(value)) return 'The module of python3 -m is not a name.';
        return PYTHON_MODULES.has(value.split('.')[0] as string)
          ? `python3 -m ${value} runs code or changes the machine and is not allowed.`
          : undefined;
      },
    },
    moduleFlag: '-m',
    name: script,
    needs: 'a script or -m with a module',
  },
  npx: {
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
    launches: true,
    packageFlags: ['-p', '--package'],
    name: npmPackage,
    needs: 'a package',
  },
  bunx: {
    flags: { '--bun': true, '-y': true, '--yes': true, '--silent': true, '-p': npmPackage, '--package': npmPackage },
    launches: true,
    packageFlags: ['-p', '--package'],
    name: npmPackage,
    needs: 'a package',
  },
  uvx: {
    flags: {
      '-q': true,
      '--quiet': true,
      '--offline': true,
      '--isolated': true,
      '--from': pythonPackage,
      '--with': pythonPackage,
      '-p': matching(/^\d+(\.\d+){0,2}$/, 'The Python of uvx must be a version.'),
      '--python': matching(/^\d+(\.\d+){0,2}$/, 'The Python of uvx must be a version.'),
    },
    launches: true,
    packageFlags: ['--from'],
    name: pythonPackage,
    needs: 'a package',
  },
  docker: {
    subcommand: 'run',
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
    name: matching(/^[a-z0-9][\w./:@-]*$/i, 'The name of the image is not valid.'),
    needs: 'an image',
  },
};

function dockerVariable(value: string): string | undefined {
  return checkEnvName(value.split('=')[0] as string);
}

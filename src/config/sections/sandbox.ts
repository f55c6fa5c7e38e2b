import { Type } from '../../schema.ts';

/** The JavaScript sandbox for code that models write. */
export const SandboxSection = Type.Object(
  {
    time_limit_seconds: Type.Number({
      default: 5,
      exclusiveMinimum: 0,
      maximum: 60,
      unit: 'seconds',
      description: 'Longest time of one evaluation.',
    }),
    memory_limit_bytes: Type.Integer({
      default: 67108864,
      minimum: 1048576,
      maximum: 1073741824,
      unit: 'bytes',
      description: 'Memory the code of one run may use.',
    }),
    output_limit_bytes: Type.Integer({
      default: 65536,
      minimum: 1024,
      maximum: 1048576,
      unit: 'bytes',
      description: 'Output of one evaluation; code that prints more is stopped.',
    }),
    max_workers: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 32,
      description: 'Runs that keep a sandbox at the same time; the one unused for longest makes room for the next.',
    }),
  },
  { default: {}, description: 'The sandbox of javascript_repl_tool.' },
);

/** Python for code that models write. */
export const PythonSection = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      env: ['ENABLE_PYTHON_REPL'],
      description: 'Let the coder run Python, shut in by bubblewrap (bwrap).',
    }),
    unsafe: Type.Boolean({
      default: false,
      description: 'Run Python without bubblewrap where it is missing: the code can then do what this server can.',
    }),
    command: Type.String({
      default: 'python3',
      minLength: 1,
      description: 'The interpreter, by name or absolute path.',
    }),
    time_limit_seconds: Type.Number({
      default: 30,
      exclusiveMinimum: 0,
      maximum: 600,
      unit: 'seconds',
      description: 'Longest time of one call.',
    }),
    memory_limit_bytes: Type.Integer({
      default: 536870912,
      minimum: 67108864,
      unit: 'bytes',
      description: 'Memory of one call: all its processes and files together, and the address space of each process.',
    }),
    output_limit_bytes: Type.Integer({
      default: 65536,
      minimum: 1024,
      maximum: 1048576,
      unit: 'bytes',
      description: 'Output of one call; code that prints more is stopped.',
    }),
    max_processes: Type.Integer({
      default: 32,
      minimum: 1,
      maximum: 1024,
      description: 'Processes and threads one call may have.',
    }),
  },
  { default: {}, description: 'The Python of python_repl_tool.' },
);

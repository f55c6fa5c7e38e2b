import type { Check } from './check.ts';

const area = 'code';

/** Programs behind the code tools: JavaScript needs none, Python needs an interpreter and bubblewrap. */
export const checkCode: Check = async ({ config }) => {
  const { enabled, unsafe, command } = config.python;
  if (!enabled)
    return [{ area, status: 'ok', message: 'Models may run JavaScript in the embedded sandbox, no Python.' }];
  if (!Bun.which(command))
    return [
      {
        area,
        status: 'fail',
        message: `Python is enabled but ${command} is not installed.`,
        advice: ['Install it, set python.command, or take ENABLE_PYTHON_REPL away.'],
      },
    ];
  if (Bun.which('bwrap')) return [{ area, status: 'ok', message: `${command} runs shut in by bubblewrap.` }];
  if (unsafe)
    return [
      {
        area,
        status: 'warn',
        message: 'Python runs without bubblewrap: code that models write can do what this server can.',
        advice: ['apt-get install bubblewrap'],
      },
    ];
  return [
    {
      area,
      status: 'fail',
      message: 'Python is enabled but bubblewrap (bwrap) is not installed: python_repl_tool refuses to run.',
      advice: ['apt-get install bubblewrap'],
    },
  ];
};

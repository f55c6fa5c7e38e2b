import { stat } from 'node:fs/promises';
import { maskUrl } from '../../config/print.ts';
import { AppError } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Check } from './check.ts';

const area = 'database';

/** The database opens, takes its migrations and answers. */
export const checkDatabase: Check = async ({ config, home }) => {
  const url = maskUrl(config.database.url);
  // Opening would create the home; a look must not.
  if (url.startsWith('sqlite:') && !(await exists(home)))
    return [{ area, status: 'ok', message: `${url} is created on the first start.` }];
  const { createStore } = await import('../../store/create-store.ts');
  try {
    await using store = createStore({ url: config.database.url, home, clock: systemClock });
    await store.start();
    await store.check();
    return [{ area, status: 'ok', message: `${url} (${store.engine}) opens and answers.` }];
  } catch (error) {
    const reason = error instanceof AppError ? error.message : `${(error as Error).name}`;
    return [
      {
        area,
        status: 'fail',
        message: `${url} cannot be opened: ${reason}`,
        advice: [
          url.startsWith('postgres')
            ? 'Is PostgreSQL running, and are the name and password in database.url (AGENT_DATABASE_URL) right?'
            : 'Does the file belong to this user, is the disk full, or does another program hold it?',
        ],
      },
    ];
  }
};

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

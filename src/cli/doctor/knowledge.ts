import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Check } from './check.ts';

const area = 'knowledge';

/** Private documents: which provider, and whether the local index is there. */
export const checkKnowledge: Check = async ({ config, home }) => {
  const { provider, path, handbook } = config.knowledge;
  if (provider !== 'local') return [{ area, status: 'ok', message: `Documents come from ${provider}.` }];
  const index = resolve(home, path);
  const size = await stat(index).then(
    (info) => info.size,
    () => undefined,
  );
  const built = handbook ? ' The built-in handbook is searchable.' : '';
  if (size === undefined)
    return [
      {
        area,
        status: 'ok',
        message: `No document has been added yet.${built}`,
        advice: ['Add some: agent knowledge add FILE…'],
      },
    ];
  return [{ area, status: 'ok', message: `Index ${index}, ${(size / 1048576).toFixed(1)} MB.${built}` }];
};

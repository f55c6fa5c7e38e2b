import { describeKnowledge } from '../../contract/knowledge.ts';
import { openProvider, PROVIDERS } from './open-provider.ts';

for (const name of PROVIDERS)
  describeKnowledge(name, (documents) =>
    openProvider(name, {
      documents: documents.map(({ name: file, title, text }) => ({ id: file.replace('.md', ''), title, text })),
    }),
  );

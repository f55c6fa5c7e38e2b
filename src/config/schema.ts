import { type Static, Type } from '../schema.ts';
import { KNOWLEDGE_PROVIDER_KEYS } from './sections/knowledge-providers.ts';
import { McpSection } from './sections/mcp.ts';
import { ModelsSection } from './sections/models.ts';
import { targetSections } from './sections/platforms.ts';
import { ResearchSection, RunsSection } from './sections/research.ts';
import { PythonSection, SandboxSection } from './sections/sandbox.ts';
import { DatabaseSection, LogSection, ServerSection } from './sections/server.ts';
import { SlidesSection } from './sections/slides.ts';
import { CrawlSection, KnowledgeSection, SearchSection } from './sections/sources.ts';
import { PodcastSection, SpeechSection, WritingSection } from './sections/speech.ts';
import { WebhookSection } from './sections/webhook.ts';

/**
 * Every configuration key. Each leaf carries `description`, its `default`, `unit` where it has one, `env` (variables
 * that set it, the first one found wins) and `secret` (masked wherever it is printed).
 */
export const ConfigSchema = Type.Object({
  server: ServerSection,
  log: LogSection,
  database: DatabaseSection,
  models: ModelsSection,
  search: SearchSection,
  crawl: CrawlSection,
  knowledge: Type.Object(
    { ...KnowledgeSection.properties, ...KNOWLEDGE_PROVIDER_KEYS },
    { default: {}, description: 'Private documents as knowledge (RAG).' },
  ),
  research: ResearchSection,
  runs: RunsSection,
  slides: SlidesSection,
  speech: SpeechSection,
  podcast: PodcastSection,
  writing: WritingSection,
  mcp: McpSection,
  sandbox: SandboxSection,
  python: PythonSection,
  platforms: Type.Object(
    { webhook: WebhookSection, ...targetSections },
    { default: {}, description: 'The webhook listener and the services that answers are delivered to.' },
  ),
});
export type Config = Static<typeof ConfigSchema>;

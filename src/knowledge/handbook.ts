import chatStream from '../handbook/chat-stream.md' with { type: 'text' };
import commandLine from '../handbook/command-line.md' with { type: 'text' };
import configuration from '../handbook/configuration.md' with { type: 'text' };
import crawlingAndSafety from '../handbook/crawling-and-safety.md' with { type: 'text' };
import deployment from '../handbook/deployment.md' with { type: 'text' };
import gettingStarted from '../handbook/getting-started.md' with { type: 'text' };
import httpApi from '../handbook/http-api.md' with { type: 'text' };
import knowledge from '../handbook/knowledge.md' with { type: 'text' };
import models from '../handbook/models.md' with { type: 'text' };
import research from '../handbook/research.md' with { type: 'text' };
import runs from '../handbook/runs.md' with { type: 'text' };
import security from '../handbook/security.md' with { type: 'text' };
import troubleshooting from '../handbook/troubleshooting.md' with { type: 'text' };
import webSearch from '../handbook/web-search.md' with { type: 'text' };

/** A page of the built-in handbook. */
export interface HandbookPage {
  /** File name without extension; the resource is `handbook://<name>`. */
  name: string;
  text: string;
}

// One import and one line per page of src/handbook/.
/** Every page, in reading order. */
export const HANDBOOK_PAGES: readonly HandbookPage[] = [
  { name: 'getting-started', text: gettingStarted },
  { name: 'research', text: research },
  { name: 'runs', text: runs },
  { name: 'chat-stream', text: chatStream },
  { name: 'http-api', text: httpApi },
  { name: 'configuration', text: configuration },
  { name: 'models', text: models },
  { name: 'knowledge', text: knowledge },
  { name: 'web-search', text: webSearch },
  { name: 'crawling-and-safety', text: crawlingAndSafety },
  { name: 'security', text: security },
  { name: 'deployment', text: deployment },
  { name: 'command-line', text: commandLine },
  { name: 'troubleshooting', text: troubleshooting },
];

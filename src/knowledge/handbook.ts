import chatStream from '../handbook/chat-stream.md' with { type: 'text' };
import commandLine from '../handbook/command-line.md' with { type: 'text' };
import configuration from '../handbook/configuration.md' with { type: 'text' };
import crawlingAndSafety from '../handbook/crawling-and-safety.md' with { type: 'text' };
import deliveryTargets from '../handbook/delivery-targets.md' with { type: 'text' };
import deployment from '../handbook/deployment.md' with { type: 'text' };
import errors from '../handbook/errors.md' with { type: 'text' };
import gettingStarted from '../handbook/getting-started.md' with { type: 'text' };
import httpApi from '../handbook/http-api.md' with { type: 'text' };
import knowledge from '../handbook/knowledge.md' with { type: 'text' };
import mcp from '../handbook/mcp.md' with { type: 'text' };
import models from '../handbook/models.md' with { type: 'text' };
import openaiApi from '../handbook/openai-api.md' with { type: 'text' };
import podcasts from '../handbook/podcasts.md' with { type: 'text' };
import prose from '../handbook/prose.md' with { type: 'text' };
import research from '../handbook/research.md' with { type: 'text' };
import runs from '../handbook/runs.md' with { type: 'text' };
import sandbox from '../handbook/sandbox.md' with { type: 'text' };
import security from '../handbook/security.md' with { type: 'text' };
import slides from '../handbook/slides.md' with { type: 'text' };
import speech from '../handbook/speech.md' with { type: 'text' };
import troubleshooting from '../handbook/troubleshooting.md' with { type: 'text' };
import webSearch from '../handbook/web-search.md' with { type: 'text' };
import webhookRecipes from '../handbook/webhook-recipes.md' with { type: 'text' };
import webhooks from '../handbook/webhooks.md' with { type: 'text' };

/** A page of the built-in handbook. */
export interface HandbookPage {
  /** File name without extension; the resource is `handbook://<name>`. */
  name: string;
  text: string;
}

/** Every page of src/handbook/ in reading order; a new page is one import above and one line here. */
export const HANDBOOK_PAGES: readonly HandbookPage[] = [
  { name: 'getting-started', text: gettingStarted },
  { name: 'research', text: research },
  { name: 'chat-stream', text: chatStream },
  { name: 'runs', text: runs },
  { name: 'knowledge', text: knowledge },
  { name: 'web-search', text: webSearch },
  { name: 'crawling-and-safety', text: crawlingAndSafety },
  { name: 'speech', text: speech },
  { name: 'podcasts', text: podcasts },
  { name: 'slides', text: slides },
  { name: 'prose', text: prose },
  { name: 'models', text: models },
  { name: 'mcp', text: mcp },
  { name: 'webhooks', text: webhooks },
  { name: 'webhook-recipes', text: webhookRecipes },
  { name: 'delivery-targets', text: deliveryTargets },
  { name: 'configuration', text: configuration },
  { name: 'command-line', text: commandLine },
  { name: 'http-api', text: httpApi },
  { name: 'openai-api', text: openaiApi },
  { name: 'sandbox', text: sandbox },
  { name: 'security', text: security },
  { name: 'deployment', text: deployment },
  { name: 'errors', text: errors },
  { name: 'troubleshooting', text: troubleshooting },
];

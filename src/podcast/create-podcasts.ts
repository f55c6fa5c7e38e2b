import type { Config } from '../config/schema.ts';
import { Gate } from '../lib/gate.ts';
import type { Logger } from '../lib/log.ts';
import type { Models } from '../models/model.ts';
import type { Workflow } from '../runs/model.ts';
import type { Speech } from '../speech/speech.ts';
import { AudioShelf } from './audio-shelf.ts';
import { createPodcastWorkflow } from './workflow.ts';

export interface CreatePodcastsNeeds {
  config: Config['podcast'];
  models: Models;
  speech: Speech;
  log: Logger;
}

/** What podcasts share in a process: the workflow (run kind `podcast`), where it leaves its audio, and the queue. */
export interface Podcasts {
  workflow: Workflow;
  shelf: AudioShelf;
  gate: Gate;
}

/** Builds the podcast workflow and what the requests for podcasts need. */
export function createPodcasts({ config, models, speech, log }: CreatePodcastsNeeds): Podcasts {
  const shelf = new AudioShelf();
  return {
    shelf,
    gate: new Gate({ limit: config.max_concurrency, maxWaiting: config.max_waiting, what: 'podcasts' }),
    workflow: createPodcastWorkflow({
      models,
      speech,
      shelf,
      log,
      limits: {
        lineConcurrency: config.line_concurrency,
        maxLines: config.max_lines,
        maxCharacters: config.max_characters,
      },
    }),
  };
}

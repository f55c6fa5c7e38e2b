import type { AcceptedScheme } from './signatures.ts';

/** What the senders of a scheme send, and where they name a delivery and its event. */
export interface Provider {
  /**
   * How their form bodies begin; absent: they send JSON only. This keeps the schemes apart that share a secret: what is signed as
   * `<timestamp>.<body>`, `v0:<timestamp>:<body>` or `<id>.<timestamp>.<body>` is no body of a scheme that signs the body alone.
   */
  form?: RegExp;
  /** Header with the id of the delivery that is part of what is signed. */
  signedIdHeader?: string;
  /** Fields of the body with an id of the delivery; used where the body is signed. */
  idFields?: readonly string[];
  /** Their own headers with an id of the delivery, not signed. */
  idHeaders?: readonly string[];
  /** Their own headers with the type of the event, not signed. */
  eventHeaders?: readonly string[];
  /** The body names the event too, and it is signed: it comes before the header. */
  isEventInBody?: boolean;
  /** A token proves the sender, not the body: who has it can send anything, so an id is worth what the body is. */
  isToken?: boolean;
}

const ANY_FORM = /(?:)/;
const GENERIC_IDS = ['idempotency-key', 'x-request-id'] as const;

/** Sources: the pages named at the schemes in `signatures.ts`. */
const PROVIDERS: Record<AcceptedScheme, Provider> = {
  svix: { signedIdHeader: 'svix-id' },
  standard: { signedIdHeader: 'webhook-id' },
  stripe: { idFields: ['id'] },
  // Events have an `event_id`; commands and interactions, which are forms, a `trigger_id`.
  slack: { form: /^[a-z_]+=/, idFields: ['event_id', 'trigger_id'] },
  linear: { idHeaders: ['linear-delivery'], eventHeaders: ['linear-event'], isEventInBody: true },
  github: { form: /^payload=/, idHeaders: ['x-github-delivery'], eventHeaders: ['x-github-event'] },
  gitea: { idHeaders: ['x-gitea-delivery'], eventHeaders: ['x-gitea-event'] },
  forgejo: { idHeaders: ['x-forgejo-delivery'], eventHeaders: ['x-forgejo-event'] },
  shopify: { idHeaders: ['x-shopify-webhook-id'], eventHeaders: ['x-shopify-topic'] },
  gitlab: { idHeaders: ['x-gitlab-event-uuid', 'idempotency-key'], eventHeaders: ['x-gitlab-event'], isToken: true },
  generic_v2: { form: /^[A-Za-z_][\w.%[\]-]*=/, idHeaders: GENERIC_IDS },
  generic_v1: { idHeaders: GENERIC_IDS },
  bearer: { form: ANY_FORM, idHeaders: GENERIC_IDS, isToken: true },
  // Nothing is proved, so every provider's headers are as good as its body.
  none: {
    form: ANY_FORM,
    idHeaders: [
      'x-github-delivery',
      'x-gitea-delivery',
      'x-forgejo-delivery',
      'svix-id',
      'webhook-id',
      'x-shopify-webhook-id',
      'x-gitlab-event-uuid',
      'linear-delivery',
      ...GENERIC_IDS,
    ],
    eventHeaders: [
      'x-github-event',
      'x-gitea-event',
      'x-forgejo-event',
      'x-gitlab-event',
      'x-shopify-topic',
      'linear-event',
    ],
    isToken: true,
  },
};

/** What is known of the senders of an accepted scheme. Headers that are not theirs count for nothing. */
export function providerOf(scheme: AcceptedScheme): Provider {
  return PROVIDERS[scheme];
}

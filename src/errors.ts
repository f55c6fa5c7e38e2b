/** Who is at fault: the caller, a provider we called, or ourselves. */
export type ErrorCategory = 'user' | 'upstream' | 'internal';

/** What is fixed about an error code, wherever it is raised. */
export interface ErrorKind {
  category: ErrorCategory;
  /** HTTP status at the edge. */
  status: number;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** What a person does about it, one or two sentences; the handbook's error page is made of them. */
  help: string;
}

const user = (status: number, help: string): ErrorKind => ({ category: 'user', status, retryable: false, help });
const busy = (status: number, help: string): ErrorKind => ({ category: 'user', status, retryable: true, help });
const upstream = (help: string): ErrorKind => ({ category: 'upstream', status: 500, retryable: false, help });
const passing = (help: string): ErrorKind => ({ category: 'upstream', status: 500, retryable: true, help });
const internal = (help: string): ErrorKind => ({ category: 'internal', status: 500, retryable: false, help });
const undelivered = (help: string): ErrorKind => ({ category: 'upstream', status: 502, retryable: false, help });
const delayed = (help: string): ErrorKind => ({ category: 'upstream', status: 502, retryable: true, help });
const resource = (status: number, help: string): ErrorKind => ({ category: 'internal', status, retryable: true, help });

const REQUESTS = {
  unsupported_value: user(400, 'A field of an OpenAI request asks for what this model does not do.'),
  invalid_image_url: user(400, 'An image must be an http(s) address or a `data:` URL.'),
  invalid_request: user(422, 'A field of the request does not fit its schema; `errors` names it.'),
  malformed_json: user(400, 'The body is not JSON in UTF-8, or is nested too deeply.'),
  malformed_body: user(400, 'The body ended early or could not be read; send it again.'),
  malformed_form: user(
    400,
    'The body is not a multipart form; let your client set the content type with its boundary.',
  ),
  malformed_url: user(400, 'The address has a broken percent-encoding.'),
  unsupported_media_type: user(415, 'Send the body with the content type that the API page names for this address.'),
  body_too_large: user(413, 'Send less, or raise `server.max_body_bytes`.'),
  not_found: user(404, 'Nothing answers at this address; the API page at /docs lists what does.'),
  method_not_allowed: user(405, 'The header `Allow` names the methods of this address.'),
  unauthorized: user(401, 'Send `Authorization: Bearer <server.api_token>`.'),
  origin_not_allowed: user(403, 'Pages of this origin may not call the server: add it to `server.allowed_origins`.'),
  host_not_allowed: user(421, 'The server does not answer to this host name: add it to `server.allowed_hosts`.'),
  invalid_host: user(400, 'The request must have exactly one well-formed `Host` header.'),
  overloaded: busy(503, 'As much work as the server takes is under way: try again after `Retry-After`.'),
  shutting_down: busy(503, 'The server is stopping; a run that may continue goes on when it is back.'),
};

const RUNS = {
  run_not_found: user(404, 'No such run: its id was mistyped or its thread was deleted.'),
  run_ended: user(409, 'The run has ended already; nothing is left to cancel or finish.'),
  thread_not_found: user(404, 'No such thread: its id was mistyped or it was deleted.'),
  bad_last_event_id: user(400, '`Last-Event-ID` must be an id of a frame of this run, `<run_id>:<number>`.'),
  no_pending_plan: user(422, 'The thread has no plan that waits for an answer; ask the question first.'),
  cancelled: user(499, 'The run was cancelled by its client or by `POST /api/runs/{id}/cancel`.'),
  server_restarted: internal(
    'The server ended in the middle of the run. Ask again, with `on_disconnect: continue` if it shall survive that.',
  ),
  too_many_restarts: internal('The run was taken over five times and ended its process each time; it is given up.'),
  run_missing: internal('The run vanished while it was worked on: its thread was deleted.'),
  stored_newer: internal('The run was written by a newer version of agent: go back to that version, or ask again.'),
  stored_damaged: internal('What the database holds of the run is damaged: ask the question again.'),
  plan_invalid: upstream(
    'The model gave no valid plan, even when asked again: use a stronger model for `models.basic`.',
  ),
};

const PROVIDERS = {
  upstream_unavailable: passing('The provider could not be reached or failed; `agent doctor` tests every provider.'),
  upstream_rejected: upstream('The provider refused the request: check the key, the model name and the base URL.'),
  upstream_timeout: passing('The provider did not answer in time; raise its timeout if it is known to be slow.'),
  upstream_rate_limited: passing('The provider limits the rate or the quota is used up: wait, or use another key.'),
  search_unavailable: passing('No search engine answered; `agent doctor` says why for each.'),
  context_overflow: upstream(
    'The request is longer than the window of the model: set `context_window`, or use another model.',
  ),
  model_required: user(500, 'The request needs a model: configure `models.basic`.'),
  model_not_found: user(404, 'The name is none of the models that `GET /v1/models` lists.'),
  vision_not_configured: user(422, 'The request has images: configure `models.vision`.'),
  embedding_not_configured: internal('This needs embeddings: configure `models.embedding`.'),
};

const KNOWLEDGE = {
  file_too_large: user(413, 'The file is larger than `knowledge.max_file_bytes`.'),
  empty_file: user(400, 'The file holds no text; a scanned document needs text recognition first.'),
  unreadable_file: user(400, 'The file is damaged, encrypted or not of the type its name says.'),
  document_too_large: user(413, 'Unpacked, the document is larger than a reader takes: split it.'),
  document_too_complex: user(
    422,
    'The document is made of more, or more deeply nested, parts than a reader takes: simplify or split it.',
  ),
  document_time_limit: user(422, 'Reading took longer than `knowledge.read_timeout_seconds`: split the document.'),
  document_memory_limit: user(422, 'Reading needed more than `knowledge.read_memory_bytes`: split the document.'),
  unreadable_content: user(400, 'The content is not text that can be read.'),
  unreadable_page: user(400, 'The page has no text that can be read: it is empty, a script, or of another type.'),
  unsupported_type: user(
    400,
    'Files of this type cannot be read; the handbook page on knowledge lists those that can.',
  ),
  url_refused: user(400, 'The address is private, not http(s), or refused by a rule of the crawler.'),
  ingest_unsupported: user(501, 'This knowledge provider takes no documents here: add them at the provider.'),
  empty_query: user(400, 'The query holds no word.'),
  empty_name: user(400, 'A name is needed.'),
  builtin: user(400, 'The handbook is built in and cannot be removed.'),
  knowledge_busy: resource(
    503,
    'Another process writes to the index, or too many documents wait to be read; try again in a moment.',
  ),
  knowledge_disk_full: internal('The disk of the agent home is full: free some space.'),
  knowledge_newer: internal(
    'The index was made by a newer version: use that one, or remove `knowledge.db` and add again.',
  ),
  knowledge_damaged: internal('The index is damaged: remove `knowledge.db` and add the documents again.'),
  knowledge_unavailable: internal('The index cannot be opened; `agent doctor` says why.'),
  crawl_busy: resource(503, 'More pages wait to be read than the server takes: try again later.'),
  parser_failed: internal('The reader of the file failed; the log names the cause.'),
};

const CONTENT = {
  empty_content: user(422, 'The text is empty.'),
  content_too_long: user(422, 'The text is longer than the model, or the limit of this endpoint, can take.'),
  text_too_long: user(422, 'The text is longer than the model can take.'),
  nothing_to_read: user(422, 'Nothing of the text can be spoken.'),
  invalid_ssml: user(422, 'The SSML is not well-formed, or uses what the engine does not know.'),
  ssml_unsupported: user(422, 'The engine does not take SSML, or not all of it: send plain text.'),
  ssml_too_long: user(422, 'A single element of the SSML is longer than the engine takes.'),
  speech_not_configured: user(400, 'Choose a speech engine: set `speech.provider` and what it needs.'),
  audio_failed: internal('The audio could not be joined or encoded; the log names the cause.'),
  slides_failed: internal('The deck could not be drawn; the log names the cause.'),
  slides_package: internal('The deck could not be packed; the log names the cause.'),
  slides_timeout: internal('Drawing the deck took too long and was ended.'),
};

const TOOLS = {
  tool_not_offered: user(404, 'The server has no tool of this name.'),
  invalid_arguments: user(422, 'The arguments do not fit what the tool takes.'),
  mcp_disabled: user(403, 'Requests may not name MCP servers: set `mcp.enable_server_configuration`.'),
  mcp_server_failed: upstream(
    'The MCP server could not be started or broke the protocol; `agent mcp inspect` shows more.',
  ),
  mcp_connection_lost: passing('The MCP server ended or dropped the connection in the middle of a call.'),
  mcp_sandbox_missing: upstream(
    '`mcp.sandbox` is `required` and bubblewrap is missing or may not be used here: install it, or set `auto`.',
  ),
  mcp_needs_token: user(
    500,
    'Requests may bring MCP servers beyond this machine only with a token: set `server.api_token`.',
  ),
  mcp_refused: user(422, 'Requests may not use such a server; the sentence says which rule refuses it.'),
  mcp_not_listed: user(
    400,
    'The server did not start or list its tools, so it was not allowed: give it what it needs with `--env` or `--header`, or allow its command alone with `--command-only`.',
  ),
  mcp_not_approved: user(403, 'The operator has not approved this server: `agent mcp allow`.'),
  mcp_denied: user(403, 'The operator has denied this server: `agent mcp allow` changes that.'),
  mcp_tools_changed: user(
    403,
    'The tools of the server are not those that were approved: look at them with `agent mcp allow`.',
  ),
  mcp_approval_broken: user(500, 'The file of approvals cannot be read: mend or remove it, then approve again.'),
  not_allowed: user(400, 'The question was answered with no, so nothing was allowed.'),
  url_unknown: user(
    403,
    'The run may open only addresses that its search returned or its owner named (`crawl.known_urls`).',
  ),
  egress_refused: user(403, 'The run has read private documents and outside text: it may not reach outside any more.'),
  python_disabled: user(403, 'Python is off: set `sandbox.python.enabled`.'),
  python_unavailable: user(503, 'Python or bubblewrap is not installed on the server.'),
  python_failed: internal('The Python sandbox could not be started; `agent doctor` says why.'),
  sandbox_failed: internal('The JavaScript sandbox failed; the log names the cause.'),
};

const SERVER = {
  internal_error: resource(500, 'A defect: the log has it under the same request id.'),
  config_invalid: user(500, 'The configuration has mistakes; each is named with its file and key.'),
  home_unusable: internal('The agent home cannot be used: check `AGENT_HOME`, its owner and its mode.'),
  bind_refused: user(500, 'A token is needed to listen beyond this machine: set `server.api_token`.'),
  port_in_use: user(500, 'Another program listens on the port: stop it or choose another port.'),
  cannot_listen: user(500, 'The address cannot be listened on: does this machine have it?'),
  listen_failed: user(500, 'The webhook address cannot be listened on: does this machine have it?'),
  database_newer: internal('Use the newer version of agent that changed the database, or another `database.url`.'),
  database_unavailable: resource(500, 'The database cannot be opened or reached; `agent doctor` says why.'),
  database_locked: resource(503, 'Another process holds the database; try again in a moment.'),
  disk_full: resource(500, 'The disk of the agent home is full: free some space.'),
  locked: busy(503, 'Another process works on the same file; try again in a moment.'),
  too_busy: internal('More calls wait for a worker than the server takes: try again later.'),
  worker_failed: internal('A worker thread ended; it is replaced, so send the request again.'),
  worker_stopped: internal('The server stopped while a worker thread had the request.'),
};

const COMMAND_LINE = {
  usage: user(400, '`agent COMMAND --help` shows what the command takes.'),
  cannot_read: user(400, 'The file cannot be read: check its name and its mode.'),
  cannot_write: user(400, 'The file cannot be written: check its folder and its mode.'),
  not_text: user(400, 'The file is not text in UTF-8.'),
  invalid_value: user(400, 'The value does not fit the setting.'),
  invalid_configuration: user(400, 'The value would make the configuration invalid.'),
  dotenv_unreadable: user(500, 'The file `.env` of the home cannot be read or written.'),
  setup_cancelled: user(400, 'The set-up was ended before anything was written.'),
  approval_impossible: internal('A plan waits for an answer, but nobody can give one here: use `--yes`.'),
  weak_token: user(400, 'A token has at least 16 characters; leave it out to have one made.'),
  token_exists: user(409, 'A token is set already; say that it shall be replaced.'),
};

const WEBHOOKS = {
  webhook_not_enabled: user(500, 'The webhook gateway is off: run `agent gateway setup`.'),
  insecure_webhook: user(500, 'A route without a check of signatures may listen on this machine only.'),
  invalid_subscription: user(409, 'The subscription does not fit its schema; the sentence names the field.'),
  unknown_subscription: user(404, '`agent webhook list` shows the subscriptions.'),
  unknown_event: user(404, '`agent webhook events` shows the events.'),
  unknown_scheme: user(400, '`agent webhook subscribe --help` lists the signature schemes.'),
  unknown_target: user(400, 'The handbook page on delivery targets lists them.'),
  invalid_name: user(400, 'A name has small letters, digits, `-` and `_`, and begins with a letter or a digit.'),
  invalid_filters: user(400, 'The filters do not fit; the sentence names the condition.'),
  invalid_payload: user(400, 'The payload is not JSON.'),
  invalid_secret: user(400, 'The secret cannot be used; leave it out to have one made.'),
  short_secret: user(400, 'A secret has at least 8 characters; leave it out to have one made.'),
  no_scheme_seen: user(409, 'No signed delivery was seen yet: name the scheme with `--scheme`.'),
  several_schemes_seen: user(409, 'Deliveries were signed in several ways: choose one with `--scheme`.'),
  insecure_secret: user(400, 'INSECURE_NO_AUTH is for this machine only.'),
  deliver_only_needs_target: user(400, 'A route that only delivers needs a target: set `--deliver`.'),
  edit_missing: user(422, 'Say what to change.'),
  static_route: user(409, 'The route stands in the configuration file: change it there.'),
  subscriptions_corrupt: user(500, 'The file of subscriptions was damaged and set aside; the sentence names the copy.'),
  subscriptions_unreadable: user(500, 'The file of subscriptions cannot be read: check its owner and its mode.'),
  script_outside: user(400, 'Scripts must lie in the folder `scripts` of the agent home.'),
  gateway_unreachable: user(500, 'No gateway answers: start it with `agent gateway run`.'),
  not_replayable: user(409, 'The payload of the event is no longer kept.'),
  removed: user(409, 'The subscription of the event was removed.'),
  too_large: user(413, 'The event is larger than the route takes.'),
};

// How a message did not arrive: the delivery log has the code; the sender of a direct delivery gets the status.
const DELIVERIES = {
  target_unknown: undelivered('There is no target of this name; the handbook page on delivery targets lists them.'),
  target_not_configured: undelivered('The target lacks settings; the sentence names them.'),
  target_bad_destination: undelivered('The route does not say where the message goes, or says it in a wrong form.'),
  target_refused: undelivered('The address is refused by the guard: it is private or not http(s).'),
  target_redirected: undelivered('The address answers with a redirect, which is never followed: set the final one.'),
  target_rejected: undelivered('The target refused the message; its reason follows: check the token and the rights.'),
  target_failed: delayed('The target failed; it is tried again by itself.'),
  target_bad_answer: delayed('The answer is not the format of the target: is a proxy between?'),
  target_rate_limited: delayed('The target asked to slow down; the next try waits as long as it asked.'),
  target_timeout: delayed('The target did not answer in time; it is tried again by itself.'),
  target_unreachable: delayed('The target cannot be reached: check the address and the network.'),
  empty_message: undelivered('There was no text to deliver.'),
  delivery_failed: undelivered('A defect of the target; the log names it.'),
};

// Codes of the log alone, where a deck lacks a picture; the alternative text stands in its place.
const PICTURES = {
  too_many_images: user(422, 'The deck has more pictures than are loaded.'),
  images_too_large: user(422, 'The pictures are larger together than a deck takes.'),
  unsupported_image: user(422, 'The picture is neither PNG, JPEG nor GIF that can be read.'),
  image_refused: user(422, 'A picture is a `data:` URL or an http(s) address.'),
  image_unavailable: user(422, 'The address of the picture did not answer with 200.'),
  image_failed: user(422, 'The picture could not be fetched.'),
};

/** Every group of codes under its heading, in the order of the handbook's page. */
export const ERROR_GROUPS: Record<string, Record<string, ErrorKind>> = {
  Requests: REQUESTS,
  'Runs and threads': RUNS,
  Providers: PROVIDERS,
  'Knowledge and pages': KNOWLEDGE,
  Content: CONTENT,
  Tools: TOOLS,
  'Server and home': SERVER,
  'Command line': COMMAND_LINE,
  Webhooks: WEBHOOKS,
  'Deliveries of webhooks': DELIVERIES,
  'Pictures of a deck': PICTURES,
};

/** Every error code there is: clients may switch on it, so a code never changes its meaning. */
export const ERRORS = {
  ...REQUESTS,
  ...RUNS,
  ...PROVIDERS,
  ...KNOWLEDGE,
  ...CONTENT,
  ...TOOLS,
  ...SERVER,
  ...COMMAND_LINE,
  ...WEBHOOKS,
  ...DELIVERIES,
  ...PICTURES,
};

/** Machine-readable code of an error; clients may switch on it. */
export type ErrorCode = keyof typeof ERRORS;

/** How a delivery failed. */
export type DeliveryCode = keyof typeof DELIVERIES;

/** The row of a code; of one that was stored by another version, the row of a defect. */
export function errorKind(code: string): ErrorKind {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : ERRORS.internal_error;
}

/** What an error carries; `fail` fills in what the table knows. */
export interface AppErrorOptions {
  /** Stable machine-readable code, snake_case; clients may switch on it. */
  code: ErrorCode;
  category: ErrorCategory;
  /** HTTP status the error maps to at the HTTP edge. */
  status: number;
  /** Whether the same call may succeed later; decided where the error is built. */
  retryable?: boolean;
  /** Wait asked for by the provider, milliseconds. */
  retryAfterMs?: number;
  cause?: unknown;
  /** Field problems of a schema violation. */
  errors?: { path: string; message: string }[];
  /** The message has several lines, and their breaks are ours: a terminal shows them as lines. */
  multiline?: boolean;
  /** Extra response headers (`Allow`, `Retry-After`). */
  headers?: Record<string, string>;
}

/** The only error the code throws on purpose; its message is one sentence that is safe to show to a client. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly errors: { path: string; message: string }[] | undefined;
  readonly multiline: boolean;
  readonly headers: Record<string, string> | undefined;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = options.code;
    this.category = options.category;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.errors = options.errors;
    this.multiline = options.multiline ?? false;
    this.headers = options.headers;
  }
}

/** What the place that fails adds to the table's row. */
export type FailOptions = Partial<
  Pick<AppErrorOptions, 'retryable' | 'retryAfterMs' | 'cause' | 'errors' | 'headers' | 'multiline'>
>;

/** The error of a code: status, category and retryability are the table's; `message` is safe to show to a client. */
export function fail(code: ErrorCode, message: string, options: FailOptions = {}): AppError {
  const { category, status, retryable } = ERRORS[code];
  return new AppError(message, { code, category, status, retryable, ...options });
}

/** The error of a code that was stored or sent by another process; a code nobody knows any more is a defect of ours. */
export function storedError(code: string, message: string): AppError {
  const { category, status, retryable } = errorKind(code);
  // Its name is kept even when this version does not know it: clients may.
  return new AppError(message, { code: code as ErrorCode, category, status, retryable });
}

/** How a provider failed; also the wire `code`. */
export type UpstreamCode = Extract<ErrorCode, `upstream_${string}`>;

/** True for the rejection of an aborted signal; an abort is not an error. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Wraps anything thrown into an AppError without leaking its text. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return fail('internal_error', 'Internal server error', { cause: error });
}

import { AppError, type AppErrorOptions, fail } from '../errors.ts';

/** What a worker can be asked, by name. */
export type Operations = Record<string, (payload: never) => unknown>;

/** What a worker says first of all, as an answer that nobody asked for. */
export const READY_ID = 0;

/** A call to a worker; answers come back under the same `id`. */
export interface WorkerRequest {
  id: number;
  operation: string;
  payload: unknown;
}

export type WorkerResponse =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; error: { message: string; options?: AppErrorOptions } };

/** Answers the calls that arrive at this thread or process with `operations`; returns them for their type. */
export function serveWorker<T extends Operations>(operations: T): T {
  const answer = async ({ id, operation, payload }: WorkerRequest): Promise<WorkerResponse> => {
    try {
      return { id, ok: true, value: await operations[operation]!(payload as never) };
    } catch (error) {
      return { id, ok: false, error: packError(error) };
    }
  };
  const ready: WorkerResponse = { id: READY_ID, ok: true, value: undefined };
  if (process.send) {
    process.on('message', async (request: WorkerRequest) => process.send?.(await answer(request)));
    // It ends with its input: a parent that is gone has closed it. Signals of the terminal are meant for the parent.
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {});
    process.send(ready);
    return operations;
  }
  const scope = globalThis as {
    onmessage: (event: MessageEvent<WorkerRequest>) => void;
    postMessage(message: WorkerResponse, transfer: ArrayBuffer[]): void;
  };
  scope.onmessage = async ({ data }) => {
    const response = await answer(data);
    scope.postMessage(response, response.ok ? buffersOf(response.value) : []);
  };
  scope.postMessage(ready, []);
  return operations;
}

/** The error again; one that was not thrown on purpose keeps its text in `cause`, for the log only. */
export function unpackError(error: { message: string; options?: AppErrorOptions }): AppError {
  return error.options
    ? new AppError(error.message, error.options)
    : fail('internal_error', 'Internal server error', { cause: new Error(error.message) });
}

/** An error as plain data: the class does not survive the way between threads. */
function packError(error: unknown): { message: string; options?: AppErrorOptions } {
  if (!(error instanceof AppError))
    return { message: error instanceof Error ? `${error.name}: ${error.message}` : 'Error' };
  const { code, category, status, retryable } = error;
  const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
  return { message: error.message, options: { code, category, status, retryable, cause } };
}

/** Buffers that an answer may hand over: those that hold nothing but one of its fields. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((field) =>
    field instanceof Uint8Array && field.byteLength === field.buffer.byteLength && field.buffer instanceof ArrayBuffer
      ? [field.buffer]
      : [],
  );
}

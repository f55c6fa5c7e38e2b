import { AppError, type AppErrorOptions, fail } from '../errors.ts';

/** A call to a worker; answers come back under the same `id`. */
export interface WorkerRequest {
  id: number;
  operation: string;
  payload: unknown;
}

export type WorkerResponse =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; error: { message: string; options?: AppErrorOptions } };

/** Answers the calls of a `WorkerClient` with the functions of `operations`, one call at a time each. */
export function serveWorker(operations: Record<string, (payload: never) => unknown>): void {
  const scope = globalThis as unknown as {
    onmessage: (event: MessageEvent<WorkerRequest>) => void;
    postMessage(message: WorkerResponse): void;
  };
  scope.onmessage = async ({ data }) => {
    try {
      const value = await operations[data.operation]!(data.payload as never);
      scope.postMessage({ id: data.id, ok: true, value });
    } catch (error) {
      scope.postMessage({ id: data.id, ok: false, error: packError(error) });
    }
  };
}

/** An error as plain data: the class does not survive the way between threads. */
function packError(error: unknown): { message: string; options?: AppErrorOptions } {
  if (!(error instanceof AppError))
    return { message: error instanceof Error ? `${error.name}: ${error.message}` : 'Error' };
  const { code, category, status, retryable } = error;
  const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
  return { message: error.message, options: { code, category, status, retryable, cause } };
}

/** The error again; one that was not thrown on purpose keeps its text in `cause`, for the log only. */
export function unpackError(error: { message: string; options?: AppErrorOptions }): AppError {
  return error.options
    ? new AppError(error.message, error.options)
    : fail('internal_error', 'Internal server error', { cause: new Error(error.message) });
}

import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { hintFor } from './hints.ts';
import type { Evaluation, ExceededLimit, SandboxLimits } from './model.ts';
import { PRELUDE } from './prelude.ts';

/** Keeps recursion in the sandbox far from the end of the thread's own stack. */
const STACK_BYTES = 256 * 1024;
/** `JS_EVAL_FLAG_ASYNC` of QuickJS: top-level await; the answer is a promise of `{value}`. */
const ASYNC_EVALUATION = 1 << 7;
const JOBS_AT_ONCE = 100;

/** Loads the engine; some 50 ms at the first call in a thread. */
export async function loadQuickJs(): Promise<QuickJSWASMModule> {
  const [{ newQuickJSWASMModuleFromVariant }, variant] = await Promise.all([
    import('quickjs-emscripten-core'),
    // The variant with the WASM in the module: the one that loads a file does not work inside a binary.
    import('@jitl/quickjs-singlefile-mjs-release-sync'),
  ]);
  return newQuickJSWASMModuleFromVariant(variant.default);
}

/** A JavaScript world without any I/O, which keeps its variables from one evaluation to the next. Blocks its thread. */
export class QuickJsSandbox {
  readonly #limits: SandboxLimits;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #tools: { show: QuickJSHandle; error: QuickJSHandle };
  #output = '';
  #deadline = 0;
  #exceeded: ExceededLimit | undefined;

  constructor(engine: QuickJSWASMModule, limits: SandboxLimits) {
    this.#limits = limits;
    this.#runtime = engine.newRuntime();
    this.#runtime.setMemoryLimit(limits.memoryBytes);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => this.#mustStop());
    this.#context = this.#runtime.newContext();
    this.#deadline = performance.now() + limits.timeMs;
    this.#tools = this.#install();
  }

  /** Runs code; whatever it does is answered. After `exceeded` the sandbox must not be used again. */
  evaluate(code: string): Evaluation {
    this.#output = '';
    this.#exceeded = undefined;
    this.#deadline = performance.now() + this.#limits.timeMs;
    let ended: Pick<Evaluation, 'value' | 'error'>;
    try {
      ended = this.#run(code);
    } catch {
      // QuickJS answers everything; this is the WASM itself out of stack or memory, and its state is unknown.
      this.#exceeded ??= 'crash';
      ended = {};
    }
    if (this.#exceeded) return { output: this.#output, exceeded: this.#exceeded };
    return { output: this.#output, ...ended };
  }

  #run(code: string): Pick<Evaluation, 'value' | 'error'> {
    const context = this.#context;
    const result = context.evalCode(code, 'code.js', ASYNC_EVALUATION);
    if (result.error) return this.#thrown(result.error);
    using promise = result.value;
    this.#runJobs();
    if (this.#exceeded) return {};
    const state = context.getPromiseState(promise);
    if (state.type === 'rejected') return this.#thrown(state.error);
    if (state.type === 'pending')
      return {
        error: 'Error: the code waits for a promise that nothing settles.\nThe sandbox has no timers and no I/O.',
      };
    using wrapped = state.value;
    using value = context.getProp(wrapped, 'value');
    return this.#told(value);
  }

  /** The value of the last expression; a promise counts as what it came to. */
  #told(value: QuickJSHandle): Pick<Evaluation, 'value' | 'error'> {
    const type = this.#context.typeof(value);
    if (type === 'undefined') return {};
    if (type === 'object') {
      const state = this.#context.getPromiseState(value);
      if (state.type === 'rejected') return this.#thrown(state.error);
      if (state.type === 'fulfilled' && !state.notAPromise) {
        using settled = state.value;
        return { value: this.#write(this.#tools.show, settled) };
      }
    }
    return { value: this.#write(this.#tools.show, value) };
  }

  #thrown(error: QuickJSHandle): Pick<Evaluation, 'error'> {
    using owned = error;
    if (this.#exceeded) return {};
    const text = this.#write(this.#tools.error, owned);
    if (/^InternalError: out of memory/.test(text)) {
      this.#exceeded = 'memory';
      return {};
    }
    const hint = hintFor(text);
    return { error: hint ? `${text}\n${hint}` : text };
  }

  #write(tool: QuickJSHandle, value: QuickJSHandle): string {
    const result = this.#context.callFunction(tool, this.#context.undefined, value);
    if (result.error) {
      result.error.dispose();
      // Not even the error could be written down: the memory is used up.
      this.#exceeded ??= 'memory';
      return '';
    }
    using text = result.value;
    return this.#read(text, this.#limits.outputBytes);
  }

  #runJobs(): void {
    while (!this.#mustStop() && this.#runtime.hasPendingJob()) {
      const result = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
      result.dispose();
    }
  }

  #mustStop(): boolean {
    if (this.#exceeded) return true;
    if (performance.now() < this.#deadline) return false;
    this.#exceeded = 'time';
    return true;
  }

  #print(text: QuickJSHandle): void {
    const room = this.#limits.outputBytes - this.#output.length;
    const more = this.#read(text, room + 1);
    this.#output += more.slice(0, Math.max(room, 0));
    if (more.length > room) this.#exceeded ??= 'output';
  }

  /** A text of the sandbox, cut; copying a huge one out would cost more than it is worth. */
  #read(text: QuickJSHandle, limit: number): string {
    const length = this.#context.getProp(text, 'length').consume((size) => this.#context.getNumber(size));
    if (length <= limit * 4) return this.#context.getString(text).slice(0, Math.max(limit, 0));
    const slice = this.#context.getProp(text, 'slice');
    const result = this.#context.callFunction(slice, text, this.#context.newNumber(0), this.#context.newNumber(limit));
    slice.dispose();
    if (result.error) {
      result.error.dispose();
      return '';
    }
    return result.value.consume((part) => this.#context.getString(part)).slice(0, Math.max(limit, 0));
  }

  #install() {
    const context = this.#context;
    using print = context.newFunction('print', (text) => this.#print(text));
    using prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
    using tools = context.unwrapResult(context.callFunction(prelude, context.undefined, print));
    return { show: context.getProp(tools, 'show'), error: context.getProp(tools, 'error') };
  }
}

import { Frame } from '@storeloom/data';
import type { Ctx, HookOutcome } from '@storeloom/plugin-sdk';
import { DeadlineError, HookError } from './hook-error.ts';
import type { RunningCall } from './running-call.ts';
import type { CalledHook, HookHost, Tap } from './tap.ts';

/** A tap as tapable calls it. */
export type Guarded = (input: unknown, call: RunningCall, next: Next) => void;
type Next = (error?: Error | null, result?: unknown) => void;

/** Puts gate, deadline, savepoint, timing and blame around a tap. */
export function guard(hook: CalledHook, tap: Tap, host: HookHost): Guarded {
  return (input, call, next) => {
    const ctx = host.contextOf(tap.plugin, call.scope);
    if (ctx) new TapRun(hook, tap, host, call, next).start(ctx, input);
    else next();
  };
}

/** One tap in one call. */
class TapRun {
  private readonly hook: CalledHook;
  private readonly tap: Tap;
  private readonly host: HookHost;
  private readonly call: RunningCall;
  private readonly next: Next;
  private readonly frame: Frame;
  private readonly started = performance.now();
  private ended = false;

  constructor(hook: CalledHook, tap: Tap, host: HookHost, call: RunningCall, next: Next) {
    this.hook = hook;
    this.tap = tap;
    this.host = host;
    this.call = call;
    this.next = next;
    this.frame = call.isolated ? new Frame({ undoable: true }) : call.frame;
  }

  start(ctx: Ctx, input: unknown): void {
    this.call.observers?.tapStarted(this.tap.plugin);
    let result: unknown;
    try {
      result = this.call.isolated ? this.frame.run(invoke, this.tap, ctx, input) : invoke(this.tap, ctx, input);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (!(result instanceof Promise)) {
      this.complete(result);
      return;
    }
    this.call.deadline.start(() => this.expire());
    result.then(
      (value) => this.complete(value),
      (error) => this.fail(error),
    );
  }

  private complete(result: unknown): void {
    if (this.ended) return;
    const kept = this.call.complete(this.frame);
    if (kept)
      kept.then(
        () => this.succeed(result),
        (error) => this.fail(error),
      );
    else this.succeed(result);
  }

  private succeed(result: unknown): void {
    if (!this.end('succeeded')) return;
    if (this.hook.kind === 'collect') {
      this.call.items.push(...((result as unknown[] | undefined) ?? []));
      this.next();
    }
    // Null is a result of a `bail` hook; a `waterfall` goes on with the value it has.
    else this.next(null, this.hook.kind === 'waterfall' ? (result ?? undefined) : result);
  }

  private fail(error: unknown): void {
    if (!this.end('failed')) return;
    if (this.call.isolated)
      this.call.fail(
        this.frame,
        new Error(`${this.tap.plugin} failed in hook ${this.hook.id}; its context is closed`, { cause: error }),
      );
    this.decide(error);
  }

  private expire(): void {
    if (!this.end('timed_out')) return;
    const error = new DeadlineError(this.tap.plugin, this.hook.id, this.hook.deadline);
    this.call.fail(this.frame, error);
    if (this.call.isolated) this.decide(error);
    // The timer began in the frame that is closed now.
    else this.call.renewFrame().run(() => this.decide(error));
  }

  private decide(error: unknown): void {
    const { hook, tap, host } = this;
    const passes = host.passes(error, hook.policy);
    if (!passes) host.onFault(tap.plugin, hook.id, error);
    if (passes) this.next(error as Error);
    else if (hook.policy === 'fail') this.next(new HookError(tap.plugin, hook.id, error));
    else this.next();
  }

  /** False where the tap has ended already: what comes after its deadline is ignored. */
  private end(outcome: HookOutcome): boolean {
    if (this.ended) return false;
    this.ended = true;
    const seconds = (performance.now() - this.started) / 1000;
    this.host.onTap?.(this.tap.plugin, this.hook.id, seconds);
    this.call.observers?.tapEnded(this.tap.plugin, { seconds, outcome });
    return true;
  }
}

/** Query builders are awaitable without being promises, and run when they are awaited: that happens inside the frame too. */
function invoke(tap: Tap, ctx: Ctx, input: unknown): unknown {
  const result = tap.fn(ctx, input);
  if (result instanceof Promise) return result;
  return typeof (result as { then?: unknown } | null | undefined)?.then === 'function' ? Promise.resolve(result) : result;
}

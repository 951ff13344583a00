import type { AnyHook, Ctx } from '@storeloom/plugin-sdk';

export interface Tap {
  readonly plugin: string;
  readonly stage: number;
  readonly fn: (ctx: Ctx, input: unknown) => unknown;
}

/** A tap broke a hook that fails closed. The plugin is blamed by name. */
export class HookError extends Error {
  readonly plugin: string;
  readonly hook: string;
  constructor(plugin: string, hook: string, cause: unknown) {
    super(`${plugin} failed in hook ${hook}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'HookError';
    this.plugin = plugin;
    this.hook = hook;
  }
}

export interface HookHost {
  /** The tap's context, or undefined when its plugin is off for the tenant. */
  contextOf(plugin: string): Ctx | undefined;
  /** Problems and database errors pass through as they are; everything else is a fault of the plugin. */
  isExpected(error: unknown): boolean;
  onFault(plugin: string, hook: string, error: unknown): void;
  onCall?(plugin: string, hook: string, seconds: number): void;
}

/** The time that all taps of one call have together. Only taps that wait cost a timer, one a call. */
class Deadline {
  private readonly milliseconds: number;
  private timer: NodeJS.Timeout | undefined;
  private late: Promise<never> | undefined;
  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
  within<T>(result: Promise<T>): Promise<T> {
    this.late ??= new Promise<never>((_, reject) => {
      this.timer = setTimeout(() => reject(new Error(`no answer within ${this.milliseconds} ms`)), this.milliseconds);
    });
    return Promise.race([result, this.late]);
  }
  over(): void {
    clearTimeout(this.timer);
  }
}

async function runTap(host: HookHost, hook: AnyHook, tap: Tap, ctx: Ctx, input: unknown, deadline: Deadline): Promise<unknown> {
  const started = performance.now();
  try {
    const result = tap.fn(ctx, input);
    return result instanceof Promise ? await deadline.within(result) : result;
  } finally {
    host.onCall?.(tap.plugin, hook.id, (performance.now() - started) / 1000);
  }
}

/** Calls a hook: taps in order of their stage, those of plugins that are off left out. */
export async function callHook(host: HookHost, hook: AnyHook, taps: readonly Tap[], input: unknown): Promise<unknown> {
  const deadline = new Deadline(hook.deadline);
  try {
    return await callTaps(host, hook, taps, input, deadline);
  } finally {
    deadline.over();
  }
}

async function callTaps(
  host: HookHost,
  hook: AnyHook,
  taps: readonly Tap[],
  input: unknown,
  deadline: Deadline,
): Promise<unknown> {
  let value: unknown = input;
  const items: unknown[] = [];
  for (const tap of taps) {
    const ctx = host.contextOf(tap.plugin);
    if (!ctx) continue;
    let result: unknown;
    try {
      result = await runTap(host, hook, tap, ctx, value, deadline);
    } catch (error) {
      if (host.isExpected(error)) throw error;
      host.onFault(tap.plugin, hook.id, error);
      if (hook.policy === 'fail') throw new HookError(tap.plugin, hook.id, error);
      continue;
    }
    if (hook.kind === 'waterfall') value = result ?? value;
    else if (hook.kind === 'collect') items.push(...((result as unknown[] | undefined) ?? []));
    else if (hook.kind === 'bail' && result !== undefined) return result;
  }
  return hook.kind === 'waterfall' ? value : hook.kind === 'collect' ? items : undefined;
}

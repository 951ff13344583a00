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

/** Runs one tap within what is left of the hook's deadline. Only a tap that waits costs a timer. */
async function runTap(host: HookHost, hook: AnyHook, tap: Tap, ctx: Ctx, input: unknown, until: number): Promise<unknown> {
  const started = performance.now();
  try {
    const result = tap.fn(ctx, input);
    if (!(result instanceof Promise)) return result;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${hook.deadline} ms`)), Math.max(1, until - performance.now()));
    });
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
    }
  } finally {
    host.onCall?.(tap.plugin, hook.id, (performance.now() - started) / 1000);
  }
}

/** Calls a hook: taps in order of their stage, those of plugins that are off left out. */
export async function callHook(host: HookHost, hook: AnyHook, taps: readonly Tap[], input: unknown): Promise<unknown> {
  const until = performance.now() + hook.deadline;
  let value: unknown = input;
  const items: unknown[] = [];
  for (const tap of taps) {
    const ctx = host.contextOf(tap.plugin);
    if (!ctx) continue;
    let result: unknown;
    try {
      result = await runTap(host, hook, tap, ctx, value, until);
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

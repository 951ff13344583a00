import { type AnyHook, Problem } from '@storeloom/plugin-sdk';
import { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook } from 'tapable';
import type { Scope } from '../context/scope.ts';
import { guard } from './guard.ts';
import { type Observers, observersOf } from './observers.ts';
import { RunningCall } from './running-call.ts';
import type { CalledHook, HookHost, Interception, Tap } from './tap.ts';

type Args = [input: unknown, call: RunningCall];
interface TapOption {
  readonly tap: Tap;
}
type TapableHook =
  | AsyncSeriesHook<Args, TapOption>
  | AsyncSeriesWaterfallHook<Args, unknown, TapOption>
  | AsyncSeriesBailHook<Args, unknown, TapOption>;

interface Entry {
  readonly hook: CalledHook;
  readonly tapable: TapableHook;
  readonly interceptions: readonly Interception[];
}

export interface HooksOptions {
  host: HookHost;
  /** By id of the hook, in the order of their registration. */
  taps: ReadonlyMap<string, readonly Tap[]>;
  interceptions?: readonly Interception[];
}

/**
 * The hooks of a kernel: one tapable hook an id. It is built with the first call, since only the token of the owner says its kind, its
 * policy and its deadline: taps may be registered by id alone.
 */
export class Hooks {
  private readonly host: HookHost;
  private readonly taps: ReadonlyMap<string, readonly Tap[]>;
  private readonly interceptions: readonly Interception[];
  private readonly entries = new Map<string, Entry>();
  constructor({ host, taps, interceptions = [] }: HooksOptions) {
    this.host = host;
    this.taps = taps;
    this.interceptions = interceptions;
  }

  /** Calls the taps whose plugins are on, one after the other. `plugin` is the caller. */
  async call(hook: AnyHook, input: unknown, { plugin, scope }: { plugin: string; scope: Scope }): Promise<unknown> {
    if (hook.policy === 'fail') this.assertComplete(hook, scope);
    const entry = this.entry(hook);
    if (entry.tapable.taps.length === 0) return hook.kind === 'waterfall' ? input : hook.kind === 'collect' ? [] : undefined;
    const observers = entry.interceptions.length
      ? observersOf(this.host, entry.interceptions, { hook: hook.id, plugin, scope })
      : undefined;
    const call = new RunningCall(entry.hook, scope, observers);
    const run = (): Promise<unknown> => entry.tapable.promise(input, call);
    try {
      const result = await (observers ? observed(observers, () => call.frame.run(run)) : call.frame.run(run));
      return hook.kind === 'collect' ? call.items : result;
    } finally {
      call.deadline.end();
    }
  }

  /** @throws Problem 503 `plugin_unavailable` if the tenant has a plugin on that taps the hook and isn't ready */
  private assertComplete(hook: CalledHook, scope: Scope): void {
    for (const plugin of scope.unavailable) {
      const state = this.host.stateOfTap(plugin, hook.id);
      if (state !== undefined) throw new Problem('plugin_unavailable', { plugin, state, retryAfter: 60 });
    }
  }
  private entry(hook: CalledHook): Entry {
    const known = this.entries.get(hook.id);
    if (known) {
      if (known.hook.kind !== hook.kind) throw new Error(`hook ${hook.id} is ${hook.kind} here and ${known.hook.kind} elsewhere`);
      return known;
    }
    const entry: Entry = {
      hook,
      tapable: build(hook, this.taps.get(hook.id) ?? [], this.host),
      interceptions: this.interceptions.filter((each) => each.hook === hook.id || each.hook === '*'),
    };
    this.entries.set(hook.id, entry);
    return entry;
  }
}

async function observed<T>(observers: Observers, fn: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const end = (outcome: 'succeeded' | 'failed'): void =>
    observers.ended({ seconds: (performance.now() - started) / 1000, outcome });
  observers.called();
  try {
    const result = await fn();
    end('succeeded');
    return result;
  } catch (error) {
    end('failed');
    throw error;
  }
}

function build(hook: CalledHook, taps: readonly Tap[], host: HookHost): TapableHook {
  const tapable = tapableOf(hook);
  tapable.intercept({ register: (registered) => ({ ...registered, fn: guard(hook, registered.tap, host) }) });
  for (const tap of taps) {
    // tapable wants a name that exists: with several, or with several taps of one plugin, it is the first of them.
    const { plugin, stage } = tap;
    const before = tapable.taps.find((other) => tap.before?.includes(pluginOf(other.name)))?.name;
    const earlier = tapable.taps.filter((other) => pluginOf(other.name) === plugin).length;
    const name = earlier === 0 ? plugin : `${plugin}#${earlier + 1}`;
    tapable.tapAsync({ name, stage, ...(before === undefined ? {} : { before }), tap }, unguarded);
  }
  return tapable;
}

const pluginOf = (name: string): string => name.replace(/#\d+$/, '');

function tapableOf({ id, kind }: CalledHook): TapableHook {
  const args = ['input', 'call'] as const;
  if (kind === 'waterfall') return new AsyncSeriesWaterfallHook(args, id);
  if (kind === 'bail') return new AsyncSeriesBailHook(args, id);
  return new AsyncSeriesHook(args, id);
}

/** Stands in until the `register` interceptor puts the guarded tap in its place. */
const unguarded = (): never => {
  throw new Error('a tap was registered without its guard');
};

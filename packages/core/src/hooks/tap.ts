import type { AnyHook, Ctx, ErrorPolicy, HookObserver } from '@storeloom/plugin-sdk';
import type { Scope } from '../context/scope.ts';

/** A function of a plugin on a hook. */
export interface Tap {
  readonly plugin: string;
  readonly stage: number;
  /** Plugins whose taps of the hook run after this one, independent of their stage. */
  readonly before?: readonly string[];
  readonly fn: (ctx: Ctx, input: unknown) => unknown;
}

/** A plugin that observes a hook, or all of them. */
export interface Interception {
  readonly plugin: string;
  /** Id of a hook, or `*`. */
  readonly hook: string;
  readonly observer: HookObserver;
}

export interface HookHost {
  /** Returns the context of a plugin in a unit of work; undefined if the plugin is off for the tenant. */
  contextOf(plugin: string, scope: Scope): Ctx | undefined;
  /** Returns true if an error ends the call unchanged, from any plugin; all others are errors of the plugin. */
  passes(error: unknown, policy: ErrorPolicy): boolean;
  /** Returns the state of a plugin that isn't ready and taps the hook; undefined for all others. */
  stateOfTap(plugin: string, hook: string): string | undefined;
  onFault(plugin: string, hook: string, error: unknown): void;
  onTap?(plugin: string, hook: string, seconds: number): void;
}

/** A hook as its owner calls it. */
export type CalledHook = Pick<AnyHook, 'id' | 'kind' | 'policy' | 'deadline'>;

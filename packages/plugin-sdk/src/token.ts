import type { Ctx, PlatformCtx } from './context.ts';

/**
 * Kinds of hooks. Tokens are equal by id (`checkout:lines.resolve`), so that two copies of a contract refer to the same hook.
 * Import the tokens of a required plugin from its contract; name those of an optional one with a type import:
 * `token<typeof linesResolve>('checkout:lines.resolve')`.
 */
export type HookKind = 'waterfall' | 'series' | 'collect' | 'bail';
/**
 * What an error or a missed deadline of a tap does: `fail` ends the call (money, stock), `skip` continues without the tap
 * (decoration) and undoes what it wrote, emitted and audited. Problems end the call in both cases. With `fail`, a plugin that the
 * tenant has on, that taps the hook and isn't ready (pending migration, failed import) ends the call too: 503
 * `plugin_unavailable`. A plugin that is switched off is left out.
 */
export type ErrorPolicy = 'fail' | 'skip';

/** The token of a hook. */
export interface Hook<K extends HookKind, In, Out> {
  /** `<plugin>:<name>`. */
  readonly id: string;
  /** Kind of the hook. */
  readonly kind: K;
  /** What an error of a tap does. */
  readonly policy: ErrorPolicy;
  /** Time limit of each tap in milliseconds. Later its context is closed: all that could write throws, `ctx.signal` is aborted. */
  readonly deadline: number;
  readonly _in?: (input: In) => void;
  readonly _out?: Out;
}
/** A hook whose taps each receive the value and return the next one. */
export type Waterfall<T> = Hook<'waterfall', T, T>;
/** A hook whose taps run in order, without a result. */
export type Series<In> = Hook<'series', In, void>;
/** A hook whose taps each add items to a list. */
export type Collect<In, Item> = Hook<'collect', In, Item>;
/** A hook that ends with the first tap that returns a result. */
export type Bail<In, Out> = Hook<'bail', In, Out>;
/** A hook of any kind. */
export type AnyHook = Hook<HookKind, never, unknown>;

/** Options of a hook token. */
export interface HookOptions {
  /** Default `fail`. */
  policy?: ErrorPolicy;
  /** Milliseconds for each tap. Default 2000. */
  deadline?: number;
}
function hook<K extends HookKind, In, Out>(
  kind: K,
  id: string,
  { policy = 'fail', deadline = 2000 }: HookOptions = {},
): Hook<K, In, Out> {
  return Object.freeze({ id, kind, policy, deadline });
}
/** Returns a hook token: each tap receives the value and returns the next one. */
export const waterfall = <T>(id: string, options?: HookOptions): Waterfall<T> => hook('waterfall', id, options);
/** Returns a hook token: taps run in order, without a result. */
export const series = <In>(id: string, options?: HookOptions): Series<In> => hook('series', id, options);
/** Returns a hook token: each tap adds items to a list. */
export const collect = <In, Item>(id: string, options?: HookOptions): Collect<In, Item> => hook('collect', id, options);
/** Returns a hook token: the first tap that returns a result ends the call. */
export const bail = <In, Out>(id: string, options?: HookOptions): Bail<In, Out> => hook('bail', id, options);

/** The function that taps a hook, by the hook's kind. */
export type TapFn<H> =
  H extends Hook<'waterfall', infer T, unknown>
    ? (ctx: Ctx, value: T) => T | Promise<T>
    : H extends Hook<'series', infer In, unknown>
      ? (ctx: Ctx, input: In) => void | Promise<void>
      : H extends Hook<'collect', infer In, infer Item>
        ? (ctx: Ctx, input: In) => Item[] | Promise<Item[]>
        : H extends Hook<'bail', infer In, infer Out>
          ? (ctx: Ctx, input: In) => Out | undefined | Promise<Out | undefined>
          : never;
/** Input of a hook. */
export type HookInput<H> = H extends Hook<HookKind, infer In, unknown> ? In : never;
/** Result of calling a hook: the last value, nothing, the list of items, or the first result. */
export type HookResult<H> =
  H extends Hook<'waterfall', infer T, unknown>
    ? T
    : H extends Hook<'series', never, unknown>
      ? void
      : H extends Hook<'collect', never, infer Item>
        ? Item[]
        : H extends Hook<'bail', never, infer Out>
          ? Out | undefined
          : void;

/** The token of a service. */
export interface Service<T> {
  /** `<plugin>:<name>`. */
  readonly id: string;
  readonly _type?: T;
}
/** Returns a service token, for the owner's contract: `export const catalog = service<Catalog>('catalog:catalog')`. */
export function service<T>(id: string): Service<T> {
  return Object.freeze({ id });
}

/** Names the token of a plugin whose package may not be installed. Only the id matters at run time. */
export function token<T extends { readonly id: string }>(id: string): T {
  return Object.freeze({ id }) as T;
}

/** A service and the function that creates it for the context of each unit of work. */
export type Provider<T = unknown> = readonly [Service<T>, ServiceFactory<T>['make']];
/** Creates a service. */
interface ServiceFactory<T> {
  /** The context has no tenant where the caller's has none. */
  make(ctx: Ctx | PlatformCtx): T;
}
/**
 * Pairs a service token with the function that creates the service, for `provides` of definePlugin. Type its context `PlatformCtx` for a
 * service that is called without a tenant, `Ctx | PlatformCtx` for one that is called both ways.
 */
export function provide<T, C extends Ctx | PlatformCtx = Ctx>(token: Service<T>, make: (ctx: C) => T): Provider<T> {
  return [token, make];
}

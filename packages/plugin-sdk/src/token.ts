import type { Ctx } from './context.ts';

/**
 * Tokens are how plugins meet: equal by id (`checkout:lines.resolve`), so two copies of a contract still meet.
 * Tokens of the selling core come from `@storeloom/commerce`, those of a required plugin from its contract. A token of an optional plugin
 * with a contract of its own is named with a type import: `token<typeof workspace>('workspace:workspace')`.
 */
export type HookKind = 'waterfall' | 'series' | 'collect' | 'bail';
/** What an error or a missed deadline in a tap does: `fail` stops the call (money, stock), `skip` goes on without it (decoration). */
export type ErrorPolicy = 'fail' | 'skip';

export interface Hook<K extends HookKind, In, Out> {
  readonly id: string;
  readonly kind: K;
  readonly policy: ErrorPolicy;
  /** What each tap has, in milliseconds. */
  readonly deadline: number;
  readonly _in?: (input: In) => void;
  readonly _out?: Out;
}
/** Each tap gets the value and returns the next one. */
export type Waterfall<T> = Hook<'waterfall', T, T>;
/** Each tap runs in order; nothing comes back. */
export type Series<In> = Hook<'series', In, void>;
/** Each tap adds to a list. */
export type Collect<In, Item> = Hook<'collect', In, Item>;
/** The first tap that answers ends the call. */
export type Bail<In, Out> = Hook<'bail', In, Out>;
export type AnyHook = Hook<HookKind, never, unknown>;

export interface HookOptions {
  policy?: ErrorPolicy;
  deadline?: number;
}
function hook<K extends HookKind, In, Out>(
  kind: K,
  id: string,
  { policy = 'fail', deadline = 2000 }: HookOptions = {},
): Hook<K, In, Out> {
  return Object.freeze({ id, kind, policy, deadline });
}
export const waterfall = <T>(id: string, options?: HookOptions): Waterfall<T> => hook('waterfall', id, options);
export const series = <In>(id: string, options?: HookOptions): Series<In> => hook('series', id, options);
export const collect = <In, Item>(id: string, options?: HookOptions): Collect<In, Item> => hook('collect', id, options);
export const bail = <In, Out>(id: string, options?: HookOptions): Bail<In, Out> => hook('bail', id, options);

/** What a tap is given and gives, by the hook's kind. */
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
export type HookInput<H> = H extends Hook<HookKind, infer In, unknown> ? In : never;
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

export interface Service<T> {
  readonly id: string;
  readonly _type?: T;
}
/** `export const catalog = service<Catalog>('catalog:catalog')` in the owner's contract. */
export function service<T>(id: string): Service<T> {
  return Object.freeze({ id });
}

/** Names a token of a plugin whose package needn't be installed. Only the id counts at run time for services and taps. */
export function token<T extends { readonly id: string }>(id: string): T {
  return Object.freeze({ id }) as T;
}

/** A service as its plugin provides it: made for the context of each unit of work. */
export type Provider<T = unknown> = readonly [Service<T>, (ctx: Ctx) => T];
export function provide<T>(token: Service<T>, make: (ctx: Ctx) => T): Provider<T> {
  return [token, make];
}

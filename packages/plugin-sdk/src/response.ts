import type { LocalText, RowOf, Shape } from './field.ts';
import type { FileReply, JsonText, Page, Reply, Warning } from './reply.ts';
import type { SchemaLike, ValueOf } from './route.ts';

/**
 * The value of a field in a response. A text by locale may be a plain text, as in storefront responses; a JSON object is any
 * object.
 */
type Shown<O> = O extends LocalText
  ? LocalText extends O
    ? LocalText | string
    : ShownMembers<O>
  : O extends readonly (infer I)[]
    ? readonly Shown<I>[]
    : O extends object
      ? string extends keyof O
        ? object
        : ShownMembers<O>
      : O;
/** A nullable property can be undefined; the response has null. */
type ShownMembers<O> = { readonly [K in keyof O]: null extends O[K] ? Shown<O[K]> | undefined : Shown<O[K]> };

/** The body of a response with this schema: every property of the shape, null or undefined where empty. */
export type BodyOf<R extends SchemaLike> = Shown<R extends Shape ? RowOf<R> : ValueOf<R>>;

/** A page of a list, with warnings if there are any. */
type PageBody<R> = { readonly data: readonly R[]; readonly page: Page<R>['page']; readonly warnings?: readonly Warning[] };
type Whole<R extends SchemaLike, L> = L extends true ? PageBody<BodyOf<R>> : BodyOf<R>;

/** Options of a route that determine what its handler can return. */
interface ResponseOptions {
  response?: unknown;
  list?: unknown;
  otherResponses?: unknown;
  sameAs?: unknown;
}
type Responses<O extends ResponseOptions> =
  | (O['response'] extends SchemaLike ? Whole<O['response'], O['list']> : never)
  | (O['otherResponses'] extends Readonly<Record<number, infer R extends SchemaLike>> ? BodyOf<R> : never);

/**
 * What the handler of a route with these options can return: a body of `response` or `otherResponses`, or a file. Without
 * `response` there is no body, except those of `otherResponses`. With `sameAs.response` any object, since the plugin that declares it may be missing.
 */
export type ResultOf<O extends ResponseOptions> = O['sameAs'] extends { response: string }
  ? object
  : [Responses<O>] extends [never]
    ? undefined | null | string | Reply<undefined | null | string> | FileReply
    : Responses<O> | Reply<Responses<O>> | FileReply | JsonText | (O['response'] extends SchemaLike ? never : Reply<undefined>);

type IsAny<T> = 0 extends 1 & T ? true : false;
type Members<T> = Extract<T, object>;
type KeysOf<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** Paths of the properties of `H` that `E` doesn't have, `lines.margin`. `masked` lists what the caller may not see. */
type Undeclared<H, E, Path extends string = ''> =
  IsAny<H> extends true
    ? never
    : H extends readonly (infer I)[]
      ? Undeclared<I, At<Extract<E, readonly unknown[]>, number>, Path>
      : H extends object
        ? [Members<E>] extends [never]
          ? never
          : string extends KeysOf<Members<E>>
            ? never
            : object extends Members<E>
              ? never
              : {
                  [K in keyof H & string]-?: K extends 'masked'
                    ? never
                    : K extends KeysOf<Members<E>>
                      ? Undeclared<H[K], At<Members<E>, K>, `${Path}${K}.`>
                      : `${Path}${K}`;
                }[keyof H & string]
        : never;

type BodyIn<H> = H extends Reply<infer B> ? B : H extends FileReply | JsonText ? never : H;

/** Matches a handler whose result has no property beyond the declared responses; otherwise the compiler's error names them. */
export type Declared<H, O extends ResponseOptions> = [Responses<O>] extends [never]
  ? unknown
  : [Undeclared<BodyIn<H>, Responses<O>>] extends [never]
    ? unknown
    : { 'returns a property that the response does not declare': Undeclared<BodyIn<H>, Responses<O>> };

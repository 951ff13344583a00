import type { Ctx } from '../context.ts';
import { Field, type FieldMode, f, type LocalText, type RowOf, type Shape } from '../field.ts';
import { localizedText } from './public.ts';

/** The public value: of a translated text, the text in the caller's language. */
type Shown<O> = string extends keyof NonNullable<O> ? (NonNullable<O> extends LocalText ? string | Extract<O, null> : O) : O;
type Viewed<S extends Shape, K extends string, M extends Shape> = {
  [P in K]: P extends keyof RowOf<S> ? Shown<RowOf<S>[P]> : string;
} & RowOf<M>;
type More<M extends Shape> = keyof M extends never ? [more?: undefined] : [more: RowOf<M>];

/** What the storefront shows of a row. */
export interface PublicView<S extends Shape, K extends string, M extends Shape> {
  /** Fields for the `response` of the route. */
  readonly shape: Shape;
  /** Returns the response in the caller's language; missing properties are null. */
  of(
    ctx: Pick<Ctx, 'locale' | 'tenant'>,
    row: Partial<Pick<RowOf<S> & { id: string }, K & (keyof RowOf<S> | 'id')>>,
    ...more: More<M>
  ): Viewed<S, K, M>;
}

/**
 * Defines the allow-list view of a resource:
 * `publicView(service.fields, ['id', 'name', 'price'], { staffName: f.text().optional() })`. Only the given fields are public;
 * `more` are properties that the handler calculates. Private parts of a nested object are left out.
 *
 * @throws Error on load for a field that is private, sensitive or a secret
 */
export function publicView<
  S extends Shape,
  const K extends (keyof S & string) | 'id',
  M extends Shape = Record<never, Field<unknown>>,
>(fields: S, members: readonly K[], more?: M): PublicView<S, K, M> {
  const shown = new Map<string, Field<unknown, FieldMode>>();
  for (const member of members) {
    const field = fields[member] ?? (member === 'id' ? f.id() : undefined);
    if (!field) throw new Error(`the resource has no field ${member}`);
    if (isClosed(field)) throw new Error(`the field ${member} is private and can't be public`);
    shown.set(member, opened(field));
  }
  const extra: Shape = more ?? {};
  return Object.freeze({
    shape: { ...Object.fromEntries(shown), ...extra },
    of(ctx, row, ...[given]: More<M>) {
      const answer: Record<string, unknown> = {};
      for (const [member, field] of shown) answer[member] = shownOf(ctx, field, (row as Record<string, unknown>)[member]);
      for (const member of Object.keys(extra)) answer[member] = (given as Record<string, unknown> | undefined)?.[member] ?? null;
      return answer as Viewed<S, K, M>;
    },
  } satisfies PublicView<S, K, M>);
}

const isClosed = ({ spec }: Field<unknown, FieldMode>): boolean =>
  spec.private === true || spec.sensitive !== undefined || spec.kind === 'secret';

/** Returns the field without its private parts. */
function opened(field: Field<unknown, FieldMode>): Field<unknown, FieldMode> {
  const { spec } = field;
  if (spec.item) return new Field({ ...spec, item: opened(spec.item) });
  if (!spec.shape) return field;
  const inside = Object.entries(spec.shape).filter(([, member]) => !isClosed(member));
  return new Field({ ...spec, shape: Object.fromEntries(inside.map(([name, member]) => [name, opened(member)])) });
}

function shownOf(ctx: Pick<Ctx, 'locale' | 'tenant'>, { spec }: Field<unknown, FieldMode>, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (spec.translatable) return localizedText(value as LocalText, ctx.locale, ctx.tenant.defaultLocale);
  const { item, shape } = spec;
  if (item) return (value as unknown[]).map((one) => shownOf(ctx, item, one));
  if (!shape) return value;
  return Object.fromEntries(
    Object.entries(shape).map(([name, member]) => [name, shownOf(ctx, member, (value as Record<string, unknown>)[name])]),
  );
}

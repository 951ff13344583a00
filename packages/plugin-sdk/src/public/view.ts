import type { Ctx } from '../context.ts';
import { Field, type FieldMode, f, type LocalText, type RowOf, type Shape } from '../field.ts';
import { localizedText } from './public.ts';

/** What a stranger reads of a value: a text in several languages is one text. */
type Shown<O> = string extends keyof NonNullable<O> ? (NonNullable<O> extends LocalText ? string | Extract<O, null> : O) : O;
type Viewed<S extends Shape, K extends string, M extends Shape> = {
  [P in K]: P extends keyof RowOf<S> ? Shown<RowOf<S>[P]> : string;
} & RowOf<M>;
type More<M extends Shape> = keyof M extends never ? [more?: undefined] : [more: RowOf<M>];

/** What the storefront shows of a thing: the members that are named, and nothing else. */
export interface PublicView<S extends Shape, K extends string, M extends Shape> {
  /** For `response` of the route. */
  readonly shape: Shape;
  /** The answer, in the caller's language; members that the row hasn't are null. */
  of(
    ctx: Pick<Ctx, 'locale' | 'tenant'>,
    row: Partial<Pick<RowOf<S> & { id: string }, K & (keyof RowOf<S> | 'id')>>,
    ...more: More<M>
  ): Viewed<S, K, M>;
}

/**
 * The allow-list view of a resource: `publicView(service.fields, ['id', 'name', 'price'], { staffName: f.text().optional() })`. Nothing
 * is public that isn't named here; `more` are members that the handler works out itself. Private parts of a named object stay out.
 *
 * @throws Error, when the plugin is loaded, for a member that is private, sensitive or a secret
 */
export function publicView<
  S extends Shape,
  const K extends (keyof S & string) | 'id',
  M extends Shape = Record<never, Field<unknown>>,
>(fields: S, members: readonly K[], more?: M): PublicView<S, K, M> {
  const shown = new Map<string, Field<unknown, FieldMode>>();
  for (const member of members) {
    const field = fields[member] ?? (member === 'id' ? f.id() : undefined);
    if (!field) throw new Error(`there is no member ${member} to show`);
    if (isClosed(field)) throw new Error(`the member ${member} is not for strangers`);
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

/** The field without what is closed inside it. */
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

import {
  type BaseRow,
  type CreateOf,
  type Ctx,
  checkVersion,
  f,
  freeName,
  invalidParameter,
  Problem,
  type Req,
  type RowOf,
  type Shape,
  slugOf,
  type Table,
} from '@storeloom/plugin-sdk';
import { changed } from './changed.ts';
import type { pageEvents, postEvents } from './events.ts';
import { machine, publishTime, type Status, statuses } from './publication.ts';
import { queued } from './queued.ts';
import { add } from './redirect.ts';
import { normalTarget } from './redirect-path.ts';
import { checkTemplate, nameField } from './templates.ts';

/** What pages and posts have in common. */
export const documentFields = {
  title: f.i18n({ max: 300 }).search(),
  /** Made of the title when left out. */
  slug: f.slug().default('').filter().search(),
  body: f.richText({ max: 200_000 }).translatable().optional().hidden(),
  /** Of the theme; its own for pages and articles when left out. */
  template: nameField().optional().example(null).filter(),
  status: f.oneOf(statuses).default('draft').filter(),
  publishAt: f.instant().optional().filter().sort(),
  seo: f
    .object({
      title: f.i18n({ max: 200 }).optional(),
      description: f.i18n({ max: 500 }).optional(),
      canonical: f.url().optional(),
      /** Search engines are asked to leave it out; so is the sitemap. */
      noindex: f.bool().default(false),
    })
    .optional(),
  showInMenu: f.bool().default(false).filter(),
  position: f.int().default(0).sort(),
} satisfies Shape;
/** What the resource's own routes say besides. */
export const documentRoutes = {
  create: { problems: ['duplicate'] },
  update: { problems: ['duplicate', 'invalid_transition'] },
  remove: {
    query: { redirectTo: f.text({ max: 2000 }).optional().describe('Where its visitors are sent from now on') },
    problems: ['redirect_loop'],
  },
};

type Fields = typeof documentFields;
export type Document = RowOf<Fields> & BaseRow;
type Input = CreateOf<Fields>;

export interface Kind {
  /** `content.page`. */
  entity: string;
  events: typeof pageEvents | typeof postEvents;
  table: Table<Fields>;
  sqlName: string;
  /** Where the storefront shows it. */
  path(slug: string): string;
}

export async function prepare(ctx: Ctx, kind: Kind, input: Input): Promise<Partial<Input>> {
  await checkTemplate(ctx, input.template);
  const { status, publishAt } = input;
  return {
    slug:
      input.slug ||
      (await freeName(
        ctx,
        { table: kind.sqlName, column: 'slug' },
        slugOf(input.title[ctx.tenant.defaultLocale] ?? '', kind.entity.slice('content.'.length)),
      )),
    publishAt: publishTime({ status, given: publishAt, kept: null, now: ctx.clock.now() }),
  };
}

export async function afterCreate(ctx: Ctx, kind: Kind, row: Document): Promise<void> {
  await ctx.history({ entity: kind.entity, entityId: row.id, from: null, to: row.status });
  await follow(ctx, kind, row, null);
  ctx.dropCache('content');
}

export async function update<R extends Document>(
  ctx: Ctx,
  kind: Kind,
  req: Req<Record<string, string>, never, never>,
): Promise<R> {
  const rows = ctx.rows(kind.table);
  const before = (await rows.require(req.params.id as string, { lock: true })) as R;
  checkVersion(req.ifMatch, before);
  const patch = req.body as Partial<Input>;
  await checkTemplate(ctx, patch.template);
  const change = { ...patch };
  const status = patch.status ?? before.status;
  const moves = machine.check(before.status, status) === 'move';
  if (moves || patch.publishAt !== undefined)
    change.publishAt = publishTime({ status, given: patch.publishAt, kept: before.publishAt, now: ctx.clock.now() });
  // An empty slug is what a create body may leave out; here it would be one.
  if (change.slug === '') delete change.slug;
  if (Object.keys(change).length === 0) return before;
  const after = (await rows.update(before.id, change)) as R;
  if (moves) await ctx.history({ entity: kind.entity, entityId: after.id, from: before.status, to: after.status });
  await follow(ctx, kind, after, before);
  await changed(ctx, kind.entity, 'updated', before, after);
  // An address that was never public needs no redirect.
  const wasPublic = before.publishAt !== null && before.publishAt <= ctx.clock.now();
  if (after.slug !== before.slug && wasPublic) await add(ctx, kind.path(before.slug), kind.path(after.slug));
  return after;
}

/** What a new status or time brings with it. */
async function follow(ctx: Ctx, kind: Kind, row: Document, before: Document | null): Promise<void> {
  if (row.status === 'published' && before?.status !== 'published') await announce(ctx, kind, row);
  if (row.status === 'scheduled' && (before?.status !== 'scheduled' || before.publishAt !== row.publishAt))
    await plan(ctx, kind, row.id, row.publishAt as string);
}

function announce(ctx: Ctx, { events, path }: Kind, { id, slug, title, publishAt }: Document): Promise<void> {
  return ctx.emit(events.published, { id, data: { id, slug, title, path: path(slug), publishAt: publishAt as string } });
}

export function plan(ctx: Ctx, { entity }: Kind, id: string, at: string): Promise<void> {
  const seconds = Math.max(0, (Date.parse(at) - ctx.clock.ms()) / 1000);
  return ctx.enqueue(queued.publish, { entity, id }, { key: `${id} ${at}`, startAfter: Math.ceil(seconds) });
}

/** Its time has come. Moved meanwhile, or looked at too early: nothing, or again. */
export async function publish(ctx: Ctx, kind: Kind, id: string): Promise<void> {
  const rows = ctx.rows(kind.table);
  const row = await rows.get(id, { lock: true });
  if (row?.status !== 'scheduled' || row.publishAt === null) return;
  if (row.publishAt > ctx.clock.now()) return plan(ctx, kind, id, row.publishAt);
  const after = await rows.update(id, { status: 'published' satisfies Status });
  await ctx.history({ entity: kind.entity, entityId: id, from: 'scheduled', to: 'published' });
  await announce(ctx, kind, after);
  await changed(ctx, kind.entity, 'updated', row, after);
}

/** Creates the redirect of `?redirectTo=` from the address of a removed document. */
export async function sendOn(
  ctx: Ctx,
  { path }: Kind,
  row: Document,
  req: Req<Record<string, string>, never, never>,
): Promise<void> {
  const { redirectTo } = req.query as { redirectTo: string | null };
  if (redirectTo === null) return;
  const target = normalTarget(redirectTo, ctx.tenant.hosts);
  if (target === undefined) throw invalidParameter('redirectTo', 'must be a path that begins with /, or an http(s) URL');
  if (target.replace(/[?#].*$/, '') === path(row.slug))
    throw new Problem('redirect_loop', { detail: 'The path would redirect to itself.' });
  await add(ctx, path(row.slug), target);
}

import {
  type BaseRow,
  type CreateOf,
  type Ctx,
  checkVersion,
  f,
  invalid,
  type Req,
  type RowOf,
  resource,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { changed } from './changed.ts';
import type { Redirects } from './contract.ts';
import { checkChain, lockRedirects } from './redirect-chain.ts';
import { normalPath, normalTarget } from './redirect-path.ts';

const codes = [301, 302, 307, 308] as const;

const fields = {
  /** Unique. Without query; stored in its normal form. */
  fromPath: f.text({ max: 1000 }).example('/old-page').unique().filter().search().sort(),
  /** A path of the shop, or an http(s) address of another host. */
  to: f.text({ max: 2000 }).example('/new-page').filter().search(),
  code: f.int({ min: 301, max: 308 }).default(301).filter().describe('301, 302, 307 or 308'),
  active: f.bool().default(true).filter(),
  /** Times that it was asked for; answers from a cache aren't counted. */
  hits: f.int().default(0).readonly().sort(),
} satisfies Shape;
type Redirect = RowOf<typeof fields> & BaseRow;

export const redirect = resource('redirect', {
  path: 'redirects',
  verbs: ['list', 'create', 'update', 'remove'],
  fields,
  uniques: [{ fields: ['fromPath'] }],
  indexes: [{ name: 'content_redirect_created_idx', fields: ['createdAt', 'id'] }],
  sqlOnly: { content_redirect_to_idx: 'the column to_path is no field: it is generated from the target' },
  deletes: 'free',
  routes: { create: { problems: ['duplicate', 'redirect_loop'] }, update: { problems: ['duplicate', 'redirect_loop'] } },
  before: {
    async create(ctx, input) {
      await lockRedirects(ctx);
      return readAddresses(ctx, input);
    },
  },
  after: {
    async create(ctx, row) {
      await checkRow(ctx, row);
      ctx.dropCache('content');
    },
    remove: (ctx) => ctx.dropCache('content'),
  },
  handlers: { update },
});

function readAddresses(ctx: Ctx, { fromPath, to, code }: Partial<CreateOf<typeof fields>>): Partial<CreateOf<typeof fields>> {
  if (code !== undefined && !codes.includes(code as 301)) throw invalid('/code', 'invalid', `must be one of ${codes.join(', ')}`);
  const change: Partial<CreateOf<typeof fields>> = {};
  if (fromPath !== undefined) {
    const path = normalPath(fromPath);
    if (path === undefined) throw invalid('/fromPath', 'invalid', 'must be a path that begins with /, without query');
    change.fromPath = path;
  }
  if (to !== undefined) change.to = readTarget(ctx, to, '/to');
  return change;
}

function readTarget(ctx: Ctx, to: string, pointer: string): string {
  const target = normalTarget(to, ctx.tenant.hosts);
  if (target === undefined) throw invalid(pointer, 'invalid', 'must be a path that begins with /, or an http(s) URL');
  return target;
}

async function checkRow(ctx: Ctx, row: Pick<Redirect, 'fromPath' | 'active'>): Promise<void> {
  if (row.active) await checkChain(ctx, row.fromPath);
}

async function update(ctx: Ctx, req: Req<Record<string, string>, never, never>): Promise<Redirect> {
  await lockRedirects(ctx);
  const rows = ctx.rows(redirect);
  const before = await rows.require(req.params.id as string, { lock: true });
  checkVersion(req.ifMatch, before);
  const patch = req.body as Partial<CreateOf<typeof fields>>;
  const change = { ...patch, ...readAddresses(ctx, patch) };
  if (Object.keys(change).length === 0) return before;
  const after = await rows.update(before.id, change);
  await checkRow(ctx, after);
  await changed(ctx, 'content.redirect', 'updated', before, after);
  return after;
}

/** Redirects for other plugins and for what moves here. */
export function redirectService(ctx: Ctx): Redirects {
  return { add: ({ fromPath, to }) => add(ctx, fromPath, to), find: (path) => find(ctx, path) };
}

export async function add(ctx: Ctx, given: string, to: string): Promise<void> {
  const fromPath = normalPath(given);
  const target = normalTarget(to, ctx.tenant.hosts);
  if (fromPath === undefined || target === undefined) throw new Error(`no redirect leads from ${given} to ${to}`);
  const path = target.replace(/[?#].*$/, '');
  if (path === fromPath) return;
  await lockRedirects(ctx);
  const rows = ctx.rows(redirect);
  // The address is in use again.
  await rows.removeWhere({ fromPath: path });
  const now = ctx.clock.now();
  await ctx.db.run(sql`update content_redirect set "to" = ${target}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and to_path = ${fromPath}`);
  const known = await rows.first({ fromPath }, { lock: true });
  if (known) await rows.update(known.id, { to: target, code: 301, active: true });
  else await rows.insert({ fromPath, to: target });
  ctx.dropCache('content');
}

export async function find(ctx: Ctx, path: string): Promise<{ to: string; code: number } | undefined> {
  const fromPath = normalPath(path);
  const row = fromPath === undefined ? undefined : await ctx.rows(redirect).first({ fromPath, active: true });
  if (!row) return undefined;
  // Reads don't write: it is counted when they are through.
  ctx.onCommit(() =>
    ctx.transaction(async (inside) => {
      await inside.db.run(
        sql`update content_redirect set hits = hits + 1 where tenant_id = ${inside.tenant.id} and id = ${row.id}`,
      );
    }),
  );
  return { to: row.to, code: row.code };
}

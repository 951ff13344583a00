import {
  type Ctx,
  checkVersion,
  f,
  isEmptyPatch,
  noContent,
  notFound,
  provide,
  resource,
  responseShape,
  route,
  type Shape,
} from '@storeloom/plugin-sdk';
import { flags } from '../contract.ts';
import { allowanceOf } from '../tenant/plan-of-tenant.ts';
import { isFlagOn } from './rules.ts';

const name = f.text({ max: 64, pattern: /^[a-z0-9_.-]{1,64}$/ });
const settings = {
  enabled: f.bool(),
  /** Of 10,000 subjects, how many see it. */
  rolloutBp: f.int({ min: 0, max: 10_000 }).default(10_000),
  /** The first one that names the subject decides. */
  rules: f
    .list(
      f.object({
        attribute: f.text({ max: 64 }),
        values: f.list(f.text({ max: 200 }), { min: 1, max: 200 }),
        enabled: f.bool(),
      }),
      { max: 50 },
    )
    .default([]),
} satisfies Shape;

const flag = resource('flag', {
  path: 'tenants/me/flags',
  verbs: ['list', 'create'],
  defaultSort: 'name',
  fields: { name: name.unique().filter().sort().search(), ...settings },
  uniques: [{ fields: ['name'] }],
});
const params = { name };

async function requireFlag(ctx: Ctx, wanted: string) {
  const found = await ctx.rows(flag).first({ name: wanted }, { lock: true });
  if (!found) throw notFound('There is no flag of this name.');
  return found;
}

export const flagRoutes = [
  flag,
  route(
    'PATCH',
    '/tenants/me/flags/{name}',
    {
      permission: 'platform.flag.update',
      params,
      summary: 'Change a flag',
      body: settings,
      response: responseShape({ name, ...settings }),
      problems: ['version_conflict'],
    },
    async (ctx, req) => {
      const before = await requireFlag(ctx, req.params.name);
      checkVersion(req.ifMatch, before);
      if (isEmptyPatch(req.body)) return before;
      const version = req.ifMatch === undefined ? {} : { version: req.ifMatch };
      const after = await ctx.rows(flag).update(before.id, req.body, version);
      await ctx.audit({ entity: 'platform.flag', entityId: before.id, before, after });
      return after;
    },
  ),
  route(
    'DELETE',
    '/tenants/me/flags/{name}',
    { permission: 'platform.flag.delete', params, summary: 'Remove a flag', status: 204, problems: ['version_conflict'] },
    async (ctx, req) => {
      const before = await requireFlag(ctx, req.params.name);
      checkVersion(req.ifMatch, before);
      await ctx.rows(flag).remove(before.id);
      await ctx.audit({ entity: 'platform.flag', entityId: before.id, before, after: null });
      return noContent();
    },
  ),
];

/** The shop's own flag; one that it doesn't have is what its plan says, else off. */
export const flagsProvider = provide(flags, (ctx) => ({
  async isOn(wanted, subject) {
    const own = await ctx.rows(flag).first({ name: wanted });
    if (own) return isFlagOn(own, subject);
    const { features } = await allowanceOf(ctx);
    return Object.hasOwn(features, wanted) && features[wanted] === true;
  },
}));

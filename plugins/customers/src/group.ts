import { type Ctx, f, problem, resource, route, sql } from '@storeloom/plugin-sdk';

/** A price group. Of several groups the one with the lowest `priority`, then code, gives price list and tax display. */
export const group = resource('group', {
  path: 'customer-groups',
  verbs: ['list', 'create', 'update', 'remove'],
  defaultSort: 'priority',
  fields: {
    name: f.text().search(),
    code: f
      .text({ max: 60, pattern: /^[\w.-]+$/ })
      .unique()
      .filter()
      .search()
      .sort(),
    priority: f.int({ min: 0, max: 100_000 }).default(0).sort(),
    priceListCode: f.text({ max: 60 }).optional(),
    taxDisplay: f.oneOf(['gross', 'net']).optional(),
    discountBp: f.bp().optional(),
    taxExempt: f.bool().default(false),
    autoRules: f
      .object({
        minOrders: f.int({ min: 0 }).optional(),
        minSpent: f.money({ min: 0 }).optional(),
        /** Where an order went. */
        country: f.text({ min: 2, max: 2, pattern: /^[A-Za-z]{2}$/ }).optional(),
      })
      .optional(),
    isDefault: f.bool().default(false),
  },
  uniques: [{ name: 'customers_group_is_default_key', fields: [], where: 'is_default' }],
  sqlOnly: { customers_group_code_key: 'expression: the code is compared without regard to case' },
  deletes: 'free',
  problems: ['default_group'],
  before: {
    async create(ctx, input) {
      if (input.isDefault) await moveDefault(ctx);
    },
    async update(ctx, row, patch) {
      if (patch.isDefault === true && !row.isDefault) await moveDefault(ctx);
      if (patch.isDefault === false && row.isDefault)
        throw problem('default_group', { detail: 'A default group is required. Make another group the default instead.' });
    },
    remove(_, row) {
      if (row.isDefault)
        throw problem('default_group', { detail: "The default group can't be removed. Make another group the default first." });
    },
  },
  // By the default one guests see prices on public pages.
  after: {
    create: dropShelf,
    update: dropShelf,
  },
});

function dropShelf(ctx: Ctx, { isDefault }: { isDefault: boolean }): void {
  if (isDefault) ctx.dropCache('catalog');
}

/** Exactly one default: the present one gives way. */
async function moveDefault(ctx: Ctx): Promise<void> {
  await ctx.db.run(
    sql`update customers_group set is_default = false, version = version + 1, updated_at = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id} and is_default`,
  );
}

export const assign = route(
  'POST',
  '/customer-groups/{id}/assign',
  {
    permission: 'customers.group.assign',
    summary: 'Put customers into a group, or take them out',
    body: { customerIds: f.list(f.id(), { min: 1, max: 1000 }), remove: f.bool().default(false) },
    response: { assigned: f.int(), skipped: f.int() },
  },
  async (ctx, req) => {
    const { id } = await ctx.rows(group).require(req.params.id as string, { lock: true });
    const ids = [...new Set(req.body.customerIds)];
    const known = await ctx.db.rows<{ id: string }>(
      sql`select id from customers_customer where tenant_id = ${ctx.tenant.id} and id = any(${ids}::uuid[]) and status <> 'erased'`,
    );
    const there = new Set(known.map((row) => row.id));
    const missing = ids.find((wanted) => !there.has(wanted));
    if (missing !== undefined)
      throw problem('not_found', {
        detail: 'A customer in the list does not exist.',
        errors: [
          {
            pointer: `/customerIds/${req.body.customerIds.indexOf(missing)}`,
            code: 'not_found',
            message: 'does not exist',
          },
        ],
      });
    const changed = req.body.remove
      ? await ctx.db.run(
          sql`delete from customers_member where tenant_id = ${ctx.tenant.id} and group_id = ${id} and customer_id = any(${ids}::uuid[])`,
        )
      : await ctx.db.run(sql`insert into customers_member (tenant_id, customer_id, group_id, created_at)
          select ${ctx.tenant.id}, c, ${id}, ${ctx.clock.now()} from unnest(${ids}::uuid[]) c on conflict do nothing`);
    await ctx.audit({ entity: 'customers.group', entityId: id, extra: { customers: changed, remove: req.body.remove } });
    return { assigned: changed, skipped: ids.length - changed };
  },
);

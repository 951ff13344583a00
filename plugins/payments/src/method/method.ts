import {
  type Ctx,
  checkSameCurrency,
  checkVersion,
  claimTable,
  codeField,
  event,
  f,
  invalid,
  noContent,
  Problem,
  type Req,
  resource,
  sql,
  type TableRow,
} from '@storeloom/plugin-sdk';
import { providerNames } from '../provider/providers.ts';
import { checkUsable, readConfig, showConfig } from './config.ts';

const fields = {
  /** Referenced by orders and by `paymentMethod` when placing. */
  code: codeField(),
  name: f.i18n({ max: 120 }).search(),
  provider: f.oneOf(providerNames).filter(),
  /** The fields depend on the provider; secrets are write-only. */
  config: f.json().default({}).describe('Fields depend on the provider; secrets are masked.'),
  enabled: f.bool().default(false).filter(),
  position: f.int({ min: 0 }).default(0).sort(),
  minTotal: f.money({ min: 0 }).optional(),
  maxTotal: f.money({ min: 0 }).optional(),
  /** ISO 3166-1 alpha-2 of the shipping address, else of the billing address. Empty: everywhere. */
  countries: f.list(f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ }), { max: 250 }).default([]),
  /** Empty: every currency. */
  currencies: f.list(f.text({ min: 3, max: 3, pattern: /^[A-Z]{3}$/ }), { max: 200 }).default([]),
  /** Empty: all customers. */
  customerGroupIds: f.list(f.ref('customers.group'), { max: 100 }).default([]),
  /** A taxed surcharge: a fixed amount and a percentage of the total before it. */
  fee: f.object({ fixed: f.money({ min: 0 }).optional(), percentBp: f.bp().optional() }).optional(),
  /** `manual`: authorised when placing and captured as goods ship. */
  capture: f.oneOf(['auto', 'manual']).default('auto'),
  instructions: f.i18n({ max: 2000 }).optional(),
};

function checkTotals({ minTotal, maxTotal }: Pick<MethodRow, 'minTotal' | 'maxTotal'>): void {
  checkSameCurrency({ minTotal, maxTotal });
  if (minTotal && maxTotal && minTotal.amount > maxTotal.amount)
    throw invalid('/maxTotal/amount', 'too_small', 'must not be less than minTotal');
}

async function isUsed(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.db.first<{ used: boolean }>(
    sql`select exists (select from payments_payment where tenant_id = ${ctx.tenant.id} and method_id = ${id})
      or exists (select from payments_instrument where tenant_id = ${ctx.tenant.id} and method_id = ${id}) as used`,
  );
  return row?.used === true;
}

/** Soft-deletes a method with payments, which later refunds need; deletes another one with its secrets. */
async function removeMethod(ctx: Ctx, req: Req<Record<string, string>, never, never>): Promise<unknown> {
  const id = req.params.id as string;
  const rows = ctx.rows(paymentMethod);
  const row = await rows.require(id, { lock: true });
  checkVersion(req.ifMatch, row);
  const before = { ...row, config: showConfig(ctx, row.provider, row.config) };
  if (await isUsed(ctx, id)) {
    await rows.update(id, { enabled: false });
    await rows.remove(id);
  } else await ctx.db.run(sql`delete from payments_payment_method where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  await ctx.audit({ entity: 'payments.payment-method', entityId: id, before, after: null });
  await ctx.emit(event('payments.payment-method.deleted', { data: { id: f.id() } }), { id, data: { id } });
  return noContent();
}

const sharedOptions = {
  fields,
  indexes: [{ fields: ['position'] }],
  sqlOnly: { payments_payment_method_code_key: 'expression: the code is compared without regard to case' },
  permission: 'payments.payment-method',
  problems: ['provider_not_configured'],
  defaultSort: 'position',
  deletes: 'soft',
  before: {
    async create(ctx, input) {
      checkTotals(input);
      const config = await readConfig(ctx, input.provider, input.config, {}, { merge: false });
      if (input.enabled) checkUsable(input.provider, config);
      return { config };
    },
    async update(ctx, row, patch, req) {
      const next = { ...row, ...patch };
      checkTotals(next);
      const changesProvider = next.provider !== row.provider;
      if (changesProvider && (await isUsed(ctx, row.id)))
        throw new Problem('in_use', {
          detail: "The method has payments, so its provider can't change. Create another method.",
          counts: { payments: 1 },
        });
      const stored = changesProvider ? {} : row.config;
      const config =
        patch.config === undefined
          ? stored
          : await readConfig(ctx, next.provider, patch.config, stored, { merge: req.method === 'PATCH' });
      if (next.enabled) checkUsable(next.provider, config);
      return { config };
    },
  },
  present: (ctx, rows) => rows.map((row) => ({ ...row, config: showConfig(ctx, row.provider, row.config) })),
  handlers: { remove: removeMethod },
} satisfies Omit<Parameters<typeof resource<typeof fields>>[1], 'path' | 'verbs'>;

export const paymentMethod = resource('payment-method', {
  ...sharedOptions,
  path: 'payment-methods',
  verbs: ['list', 'create', 'update', 'remove'],
});
export type MethodRow = TableRow<typeof paymentMethod>;

/** `settings/payment-methods`: the same rows, with PUT instead of PATCH. */
const settingsResource = resource('payment-method', {
  ...sharedOptions,
  path: 'settings/payment-methods',
  verbs: ['list', 'create', 'replace', 'remove'],
});
claimTable('payments', settingsResource);
export const settingsRoutes = settingsResource.routes('payments');

/** Reads a method, including soft-deleted ones: their payments may still be captured, voided or refunded. */
export async function methodById(ctx: Ctx, id: string): Promise<Pick<MethodRow, 'id' | 'code' | 'provider' | 'config'>> {
  const row = await ctx.db.first<Pick<MethodRow, 'id' | 'code' | 'provider' | 'config'>>(
    sql`select id, code, provider, config from payments_payment_method where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
  if (!row) throw new Error(`Payment method ${id} doesn't exist`);
  return row;
}

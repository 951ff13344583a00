import { orders } from '@storeloom/commerce';
import {
  type CreateOf,
  type Ctx,
  f,
  invalid,
  parseBody,
  problem,
  type Shape,
  shapeSchema,
  type TenantRecord,
  tenants,
} from '@storeloom/plugin-sdk';
import { isCurrency } from '@storeloom/plugin-sdk/money';
import { postalFields, vatIdField } from '@storeloom/plugin-sdk/people';
import { z } from 'zod';

const localeTag = f.text({ max: 20, pattern: /^[a-z]{2,3}(?:-[A-Z]{2})?$/ });

/** Names as CSS lists them. A theme writes them into a style sheet, which nothing else of theirs may end. */
const font = () => f.text({ max: 100, pattern: /^[\p{L}\p{N} ,._'"-]+$/u }).optional();
export const fonts = () => f.object({ heading: font(), body: font() }).optional();

/** Settings of the workspace that have a row of their own. */
export const settings = {
  legalName: f.text().optional().store(),
  vatId: vatIdField().optional().store(),
  /** Number in the trade register. */
  regNo: f.text({ max: 64 }).optional().store(),
  address: f.object(postalFields()).optional().store(),
  emails: f
    .object({ contact: f.email().optional(), orders: f.email().optional(), support: f.email().optional() })
    .optional()
    .store(),
  phone: f.phone().optional().store(),
  /** CORS origins besides the shop's own hosts. */
  allowedOrigins: f
    .list(f.text({ max: 300, pattern: /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/ }), { max: 50 })
    .default([])
    .store(),
  /** Base URL of links in e-mails. Default: the shop's first host. */
  storefrontUrl: f.url().optional(),
  /** Base URL of links in e-mails to staff. Default: `/admin` on the shop's first host. */
  adminUrl: f.url().optional(),
  /** Tags that a storefront loads once the visitor agreed to their purpose. Nothing secret: every visitor may read them. */
  trackingTags: f
    .list(
      f.object({
        purpose: f.oneOf(['necessary', 'preferences', 'analytics', 'marketing']),
        provider: f.text({ max: 60, pattern: /^[a-z][a-z0-9_-]*$/ }),
        id: f.text({ max: 100, pattern: /^[\w.:-]+$/ }),
      }),
      { max: 50 },
    )
    .default([]),
  // Branding, written as a whole by its own route.
  logo: f.file().optional().hidden(),
  favicon: f.file().optional().hidden(),
  colors: f.json({ max: 4000 }).default({}).hidden(),
  fonts: fonts().hidden(),
  emailFooter: f.i18n({ max: 2000 }).optional().hidden(),
} satisfies Shape;

/** Members of the tenant itself: settings on the wire, columns of the kernel's tenant. */
export const tenantFields = {
  name: f.text(),
  timezone: f.timeZone(),
  currency: f.text({ max: 3, pattern: /^[A-Z]{3}$/ }),
  locales: f.list(localeTag, { min: 1, max: 20 }),
  defaultLocale: localeTag,
  priceMode: f.oneOf(['gross', 'net']),
} satisfies Shape;
export type TenantValues = CreateOf<typeof tenantFields>;
export const tenantFieldNames = Object.keys(tenantFields) as (keyof TenantValues)[];
export function isTenantField(name: string): name is keyof TenantValues {
  return Object.hasOwn(tenantFields, name);
}

export async function tenantRecord(ctx: Ctx): Promise<TenantRecord> {
  const record = await ctx.require(tenants).get(ctx.tenant.id);
  if (!record) throw problem('not_found');
  return record;
}
export function tenantSchema(name: keyof TenantValues): Record<string, unknown> {
  const schema = z.toJSONSchema(shapeSchema({ value: tenantFields[name] }, 'create'), { io: 'input', unrepresentable: 'any' });
  return ((schema as { properties?: Record<string, Record<string, unknown>> }).properties?.value ?? {}) as Record<
    string,
    unknown
  >;
}

/** What the values change, checked against each other and against what has happened. Nothing is written. */
export async function checkTenantValues(
  ctx: Ctx,
  record: TenantRecord,
  given: Record<string, unknown>,
): Promise<Partial<TenantValues>> {
  const values = (await parseBody(tenantFields, given, { partial: true })) as Partial<TenantValues>;
  if (values.currency !== undefined && values.currency !== record.currency) {
    if (!isCurrency(values.currency)) throw invalid('/currency', 'invalid', 'is not an ISO 4217 code');
    if (await ctx.use(orders)?.any())
      throw problem('base_currency_locked', { detail: "The currency can't change after the first order." });
  }
  const locales = values.locales ?? record.locales;
  if (new Set(locales).size !== locales.length) throw invalid('/locales', 'duplicate', 'contains a locale twice');
  const fallback = values.defaultLocale ?? record.defaultLocale;
  if (!locales.includes(fallback))
    throw invalid(
      values.defaultLocale === undefined ? '/locales' : '/defaultLocale',
      'unknown_locale',
      'the default locale must be one of the locales',
    );
  const same = (name: keyof TenantValues): boolean => JSON.stringify(values[name]) === JSON.stringify(record[name]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !same(name as keyof TenantValues)));
}

/** Saves tenant values outside the caller's transaction; every process uses them immediately. Call it last. */
export async function saveTenantValues(ctx: Ctx, record: TenantRecord, change: Partial<TenantValues>): Promise<void> {
  const names = Object.keys(change) as (keyof TenantValues)[];
  if (names.length === 0) return;
  const before = Object.fromEntries(names.map((name) => [name, record[name]]));
  await ctx.audit({ entity: 'core.setting', entityId: 'workspace', before, after: change });
  await ctx.require(tenants).update(record.id, change);
}

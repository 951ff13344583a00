import { type Consent, consentEvents } from '@storeloom/commerce';
import { type Ctx, created, f, route, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { settings } from './settings.ts';

/** IPv4 cut to /24, IPv6 to /48: enough to see a pattern, too little to find a person. */
function cutAddress(ip: string | null): string | null {
  if (ip === null) return null;
  if (ip.includes(':')) {
    const [head = '', tail = ''] = ip.split('::');
    const groups = head.split(':').filter(Boolean);
    const rest = tail.split(':').filter(Boolean);
    const full = ip.includes('::')
      ? [...groups, ...Array.from({ length: 8 - groups.length - rest.length }, () => '0'), ...rest]
      : groups;
    return `${full.slice(0, 3).join(':')}::/48`;
  }
  return `${ip.split('.').slice(0, 3).join('.')}.0/24`;
}

/** Append-only. A customer's word on marketing is also kept on the customer. Undefined: nothing new, with `once`. */
export async function recordConsent(ctx: Ctx, consent: Consent): Promise<string | undefined> {
  const id = uuidv7(ctx.clock.ms());
  const textVersion = consent.textVersion ?? ctx.settings(settings).consentTextVersion;
  const said = sql`select last.granted, last.text_version from customers_consent last where last.tenant_id = ${ctx.tenant.id}
    and last.subject = ${consent.subject} and last.purpose = ${consent.purpose} order by last.created_at desc, last.id desc limit 1`;
  const written =
    await ctx.db.run(sql`insert into customers_consent (tenant_id, id, purpose, granted, text_version, subject, customer_id, network, source, created_at)
    select ${ctx.tenant.id}::uuid, ${id}::uuid, ${consent.purpose}, ${consent.granted}::bool, ${textVersion}, ${consent.subject}, ${consent.customerId ?? null}::uuid, ${cutAddress(consent.ip)}, ${consent.source ?? 'storefront'}, ${ctx.clock.now()}::timestamptz
    where not ${consent.once === true}::bool or (${consent.granted}::bool, ${textVersion}::text) not in (${said})`);
  if (written === 0) return undefined;
  if (consent.customerId !== undefined && consent.purpose === 'marketing')
    await ctx.db.run(
      sql`update customers_customer set accepts_marketing = ${consent.granted}, updated_at = ${ctx.clock.now()}, version = version + 1 where tenant_id = ${ctx.tenant.id} and id = ${consent.customerId}`,
    );
  if (consent.customerId !== undefined)
    await ctx.emit(consentEvents.changed, {
      id: consent.customerId,
      data: { customerId: consent.customerId, purpose: consent.purpose, granted: consent.granted },
    });
  return id;
}

export const consentLog = route(
  'POST',
  '/consent-log/',
  {
    summary: 'Record a consent or its withdrawal',
    body: {
      purpose: f.text({ max: 60, pattern: /^[a-z][a-z0-9_.-]*$/ }),
      granted: f.bool(),
      textVersion: f.text({ max: 60 }),
      subject: f.text({ max: 100 }).optional(),
    },
    response: { id: f.id() },
    status: 201,
    rateLimit: { points: 60, seconds: 60 },
  },
  async (ctx, req) => {
    const { actor } = ctx;
    const { subject, ...consent } = req.body;
    const id = (await recordConsent(ctx, {
      ...consent,
      // A customer's own id; for a visitor the id of the consent cookie.
      subject: actor.type === 'customer' ? actor.customerId : (subject ?? 'anonymous'),
      ...(actor.type === 'customer' ? { customerId: actor.customerId } : {}),
      ip: ctx.ip,
    })) as string;
    return created(`/consent-log/${id}`, { id });
  },
);

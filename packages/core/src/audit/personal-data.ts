import { type Ctx, type PersonalData, type PersonTraces, sql } from '@storeloom/plugin-sdk';

/** Replaces personal data. */
const erased = 'erased';

const lower = (texts: readonly string[]): string[] =>
  [...new Set(texts.map((text) => text.trim().toLowerCase()))].filter((text) => text.length > 1);
/** Escapes `%` and `_`. */
const containing = (texts: readonly string[]): string[] => texts.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);

/**
 * Removes a person from a JSON value: texts that contain one of their addresses or numbers, or equal one of their other texts. Property names
 * and ids stay.
 */
export function scrubbed(value: unknown, contacts: readonly string[], texts: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    const text = value.trim().toLowerCase();
    return texts.has(text) || contacts.some((contact) => text.includes(contact)) ? erased : value;
  }
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, contacts, texts));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, scrubbed(member, contacts, texts)]));
  return value;
}

async function mailsOf({ db, tenant }: Ctx, emails: readonly string[]): Promise<Record<string, unknown>[]> {
  return db.rows(sql`select template, locale, created_at as "createdAt", sent_at as "sentAt" from core_mail
    where tenant_id = ${tenant.id} and lower(recipient) = any(${lower(emails)}::text[]) order by created_at, id`);
}

/** Exports and erases personal data in the kernel's tables: e-mails, stored events, notifications of providers. */
export const personalData: PersonalData = {
  async export(ctx, { emails }) {
    const mails = await mailsOf(ctx, emails);
    return mails.length === 0 ? [] : [{ resource: 'core.mail', rows: mails }];
  },
  async erase(ctx, traces: PersonTraces) {
    const { db, tenant } = ctx;
    const contacts = lower([...traces.emails, ...traces.phones]);
    const texts = new Set(lower(traces.texts));
    const ids = traces.customerId === undefined ? [] : [traces.customerId];
    const mails = await db.run(sql`delete from core_mail where tenant_id = ${tenant.id}
      and (lower(recipient) = any(${lower(traces.emails)}::text[]) or lower(data::text) like any(${containing(contacts)}::text[]))`);
    const found = await db.rows<{ id: string; data: unknown }>(sql`select id, data from core_event where tenant_id = ${tenant.id}
      and lower(data::text) like any(${containing([...contacts, ...ids])}::text[]) order by id for update`);
    let events = 0;
    for (const { id, data } of found) {
      const clean = scrubbed(data, contacts, texts);
      if (JSON.stringify(clean) === JSON.stringify(data)) continue;
      events += await db.run(
        sql`update core_event set data = ${JSON.stringify(clean)}::jsonb where tenant_id = ${tenant.id} and id = ${id}`,
      );
    }
    // The row stays, so that a repeated notification is recognised; its content is removed.
    const inbound = await db.run(sql`update core_inbound set raw = '', headers = '{}' where tenant_id = ${tenant.id}
      and handled_at is not null and lower(raw) like any(${containing(contacts)}::text[])`);
    traces.report({ resource: 'core.mail', erased: mails });
    traces.report({ resource: 'core.event', erased: events });
    traces.report({ resource: 'core.inbound', erased: inbound });
  },
};

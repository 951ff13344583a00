import { type Ctx, invalid, type Log, type Mail, type Mailer, sql, type Tenant, uuidv7 } from '@storeloom/plugin-sdk';
import type { Units } from '../context/units.ts';
import { completed, type Sender } from '../jobs/sender.ts';
import type { QueuedJob } from '../jobs/workers.ts';
import { type Catalogue, messagesOf, render } from './template.ts';
import { isRefusal, type MailTransport } from './transport.ts';

export interface MailerOptions {
  units: Units;
  sender: Sender;
  log: Log;
  /** Undefined in production without `MAIL_URL`: e-mails stay queued. */
  transport: MailTransport | undefined;
  /** Returns the messages of a plugin by language. */
  catalogue(plugin: string): Catalogue | undefined;
  /** Returns the footer of the shop's e-mails. */
  footer?(ctx: Ctx, locale: string): string | null;
  /** Jobs were committed. */
  wake(tenantId: string): void;
}

export interface MailService {
  /** Returns the service `mailer` for a context: e-mails are queued in its transaction. */
  for(ctx: Ctx): Mailer;
  /** Delivers one e-mail. Returns `completed` if it has completed the job. */
  deliver(job: QueuedJob): Promise<typeof completed | undefined>;
  readonly configured: boolean;
}

/** There is no mail server. The e-mail stays queued and is sent within an hour after one is configured. */
export class MailNotConfiguredError extends Error {
  constructor() {
    super('no mail server is configured: set MAIL_URL');
    this.name = 'MailNotConfiguredError';
  }
}

interface Row {
  recipient: string;
  template: string;
  locale: string;
  data: Record<string, unknown>;
  attachments: { name: string; type: string; content: string }[];
  footer: string | null;
  unsubscribe: string | null;
  done: boolean;
}

// One address without list, display name, or characters that could end the header.
const address = /^[^\s@,;:<>"()[\]\\]{1,64}@[^\s@,;:<>"()[\]\\]{1,255}$/u;
const refused = 'refused';

/** Checks a URL that is sent in a header and requested by mail clients. */
function checkUnsubscribe(url: string): void {
  if (!URL.canParse(url) || !/^https?:\/\/[\x21-\x7e]{1,1900}$/.test(url) || /[<>]/.test(url))
    throw new Error('the unsubscribe URL must be an http(s) URL');
}
function listHeaders(url: string | null): Record<string, string> {
  return url === null ? {} : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

export function createMailer(options: MailerOptions): MailService {
  const { units, sender, log, transport, catalogue } = options;
  const configured = transport !== undefined;

  async function queue(ctx: Ctx, mail: Mail): Promise<void> {
    if (!address.test(mail.to)) throw invalid('/email', 'invalid', 'must be one deliverable e-mail address');
    const locale = mail.locale ?? ctx.tenant.defaultLocale;
    if (mail.unsubscribe !== undefined) checkUnsubscribe(mail.unsubscribe);
    if (!textsOf(mail.template, locale, ctx.tenant))
      throw new Error(`the e-mail ${mail.template} has no messages in any language`);
    const id = uuidv7();
    const tenantId = ctx.tenant.id;
    const inserted = await ctx.db.run(sql`
      insert into core_mail (tenant_id, id, key, recipient, template, locale, data, attachments, footer, unsubscribe, created_at)
      values (${tenantId}, ${id}, ${mail.key}, ${mail.to}, ${mail.template}, ${locale}, ${JSON.stringify(mail.data)}::jsonb,
        ${JSON.stringify(mail.attachments ?? [])}::jsonb, ${options.footer?.(ctx, locale) ?? null}, ${mail.unsubscribe ?? null}, ${ctx.clock.now()}::timestamptz)
      on conflict (tenant_id, key) do nothing`);
    if (inserted === 0) return;
    await sender.send(ctx.db, {
      queue: 'mail',
      plugin: ctx.plugin,
      name: mail.template,
      tenantId,
      requestId: ctx.requestId,
      data: { id },
    });
    ctx.onCommit(() => options.wake(tenantId));
  }

  function textsOf(template: string, locale: string, tenant: Tenant) {
    const dot = template.indexOf('.');
    return messagesOf(catalogue(template.slice(0, dot)), template.slice(dot + 1), [locale, tenant.defaultLocale]);
  }

  async function deliver(job: QueuedJob): Promise<typeof completed | undefined> {
    const { tenantId, data, signal } = job;
    if (tenantId === null || typeof data.id !== 'string') throw new Error('a mail job needs a tenant and an id');
    const id = data.id;
    const scope = await units.scope(tenantId, { actor: { type: 'system', reason: 'mail' }, requestId: job.requestId, signal });
    if (!scope?.tenant) return undefined;
    const { tenant } = scope;
    const row = await units.transaction(
      scope,
      (db) =>
        db.first<Row>(sql`select recipient, template, locale, data, attachments, footer, unsubscribe, sent_at is not null or error = ${refused} as done
          from core_mail where tenant_id = ${tenantId} and id = ${id}`),
      { readOnly: true, onePlan: true },
    );
    if (!row || row.done) return undefined;

    const failed = (error: string) =>
      units.transaction(scope, (db) =>
        db.run(
          sql`update core_mail set attempts = attempts + 1, error = ${error} where tenant_id = ${tenantId} and id = ${id} and sent_at is null`,
        ),
      );
    if (!transport) {
      await failed('not_configured');
      throw new MailNotConfiguredError();
    }
    const texts = textsOf(row.template, row.locale, tenant);
    if (!texts) {
      await failed('template_missing');
      throw new Error(`the e-mail ${row.template} has no messages in any language`);
    }
    const host = (tenant.hosts[0] ?? 'localhost').replace(/:\d+$/, '');
    try {
      await transport.send(
        {
          from: { name: tenant.name.replace(/[\r\n]+/g, ' '), address: `no-reply@${host}` },
          to: { name: '', address: row.recipient },
          // The same at each attempt, so that mail servers can recognise a duplicate after a crash.
          messageId: `<${id}@${host}>`,
          headers: { 'Auto-Submitted': 'auto-generated', ...listHeaders(row.unsubscribe) },
          ...render(texts, row.data, row.footer),
          attachments: row.attachments.map(({ name, type, content }) => ({
            filename: name,
            contentType: type,
            content: Buffer.from(content, 'base64'),
          })),
        },
        id,
      );
    } catch (error) {
      if (!isRefusal(error)) {
        await failed('unreachable');
        throw error;
      }
      log.warn(
        { tenant_id: tenantId, mail: id, template: row.template, response: error.responseCode },
        'an e-mail was rejected permanently',
      );
      await failed(refused);
      return undefined;
    }
    // Remove the content, which can include a link with a token; the row stays for its key.
    await units.transaction(
      scope,
      async (db) =>
        db.later(sql`update core_mail set sent_at = now(), attempts = attempts + 1, error = null, data = '{}', attachments = '[]', unsubscribe = null
          where tenant_id = ${tenantId} and id = ${id}`),
      { last: (db) => sender.completeInside(db, job) },
    );
    return completed;
  }

  return { configured, deliver, for: (ctx) => ({ configured, send: (mail) => queue(ctx, mail) }) };
}

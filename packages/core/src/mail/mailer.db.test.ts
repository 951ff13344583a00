import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileTransport, type MailTransport, smtpTransport } from '@storeloom/mail-smtp';
import { type Ctx, type Mail, type Mailer, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Background, createBackground, keptLog, until } from '../../test/background.ts';
import { createSender } from '../jobs/sender.ts';
import { type QueuedJob, startWorkers } from '../jobs/workers.ts';
import { createMailer, MailNotConfiguredError, type MailService } from './mailer.ts';

interface Received {
  from: string;
  to: string[];
  source: string;
}
let background: Background;
let tenantId: string;
let sink: SMTPServer;
let url: string;
const received: Received[] = [];
/** What the mail server says to a recipient. */
let refusal: { responseCode: number } | undefined;
const sender = createSender();
const log = keptLog();

beforeAll(async () => {
  background = await createBackground();
  sink = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_, __, done) {
      done(refusal ? Object.assign(new Error('mailbox ana@example.com says no'), refusal) : null);
    },
    onData(stream, session, done) {
      text(stream).then((source) => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), source });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  url = `smtp://127.0.0.1:${(sink.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise<void>((resolve) => sink.close(() => resolve()));
  await background.close();
});
let transport: MailTransport | undefined;
beforeEach(async () => {
  await background.dropJobs();
  tenantId = (await background.addTenant()).id;
  received.length = 0;
  refusal = undefined;
  transport = smtpTransport(url);
});
afterEach(() => transport?.close());

const catalogue = {
  ro: {
    'mail.placed.subject': 'Comanda {order.number} a fost plasată',
    'mail.placed.text': 'Bună, {name}!\n\nȘtampila ta: {order.url}',
  },
  en: { 'mail.placed.subject': 'Order {order.number} is placed', 'mail.placed.text': 'Hello {name}!\n\nSee {order.url}' },
};
let woken = 0;
const serviceOf = (through: MailTransport | undefined): MailService =>
  createMailer({
    units: background.units,
    sender,
    log,
    transport: through,
    catalogue: (plugin) => (plugin === 'orders' ? catalogue : undefined),
    wake: () => void woken++,
  });

const mail = (more: Partial<Mail> = {}): Mail => ({
  to: 'ana@example.com',
  template: 'orders.placed',
  data: { name: '<b>Ana</b>', order: { number: 1001, url: 'https://shop.example.com/o/1?t=secret-token' } },
  key: 'placed:1001',
  ...more,
});
async function inMailer(fn: (mailer: Mailer, ctx: Ctx) => Promise<void>, service = serviceOf(transport)): Promise<void> {
  const scope = await background.units.scope(tenantId, {
    actor: { type: 'guest' },
    requestId: 'req-12345',
    signal: new AbortController().signal,
  });
  if (!scope) throw new Error('no tenant');
  const ctx = background.units.context('orders', scope);
  await background.units.transaction(scope, () => fn(service.for(ctx), ctx));
}
const rows = () =>
  background.inTenant(tenantId, (db) =>
    db.rows<{
      id: string;
      sent: boolean;
      attempts: number;
      error: string | null;
      data: object;
      attachments: object[];
      locale: string;
    }>(
      sql`select id, sent_at is not null as sent, attempts, error, data, attachments, locale from core_mail order by created_at, id`,
    ),
  );
const jobs = () =>
  background.asPlatform((db) =>
    db.rows<{ data: { data: { id: string } } }>(
      sql`select data from jobs.job_common where name = 'mail' and group_id = ${tenantId}`,
    ),
  );
async function work(service = serviceOf(transport)): Promise<void> {
  const workers = await startWorkers({ url: background.runtimeUrl, log, pollSeconds: 0.5 }, (job) => service.deliver(job));
  await until(async () => (await rows()).every(({ sent }) => sent)).finally(() => workers.stop());
}
const jobOf = async (): Promise<QueuedJob> => ({
  id: uuidv7(),
  queue: 'mail',
  plugin: 'orders',
  name: 'orders.placed',
  tenantId,
  requestId: 'req-12345',
  data: { id: (await rows())[0]?.id },
  attempt: 0,
  lastAttempt: false,
  signal: new AbortController().signal,
});
/** The text part of a multipart source, decoded. */
const decoded = (source: string): string =>
  source.replace(/=\r?\n/g, '').replace(/(?:=[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString());

describe('an e-mail with an unsubscribe URL', () => {
  test('has the one-click headers (RFC 8058); other e-mails do not', async () => {
    const unsubscribe = 'https://shop.example.com/api/storefront/stop/a-token';
    await inMailer((mailer) => mailer.send(mail({ key: 'news', unsubscribe })));
    await inMailer((mailer) => mailer.send(mail({ key: 'placed' })));
    await work();
    const headers = received.map(({ source }) => source.split(/\r?\n\r?\n/, 1)[0]?.replace(/\r?\n\s+/g, ' ') ?? '');
    const marketing = headers.filter((one) =>
      /^List-Unsubscribe: <https:\/\/shop\.example\.com\/api\/storefront\/stop\/a-token>$/m.test(one),
    );
    expect([headers.length, marketing.length]).toEqual([2, 1]);
    expect(marketing[0]).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    expect(headers.filter((one) => /^List-/m.test(one))).toHaveLength(1);
    for (const bad of ['mailto:x@example.com', 'https://a.example/>\r\nBcc: x@example.com', 'javascript:1'])
      await expect(inMailer((mailer) => mailer.send(mail({ key: bad, unsubscribe: bad })))).rejects.toThrow('http(s) URL');
  });
});

describe('queueing', () => {
  test('a mail comes with the commit of its sender, and never without', async () => {
    woken = 0;
    await expect(
      inMailer(async (mailer) => {
        await mailer.send(mail());
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await rows()).toEqual([]);
    expect(await jobs()).toEqual([]);
    expect(woken).toBe(0);
    await inMailer((mailer) => mailer.send(mail()));
    expect(await rows()).toMatchObject([{ sent: false, attempts: 0, locale: 'ro' }]);
    expect(await jobs()).toHaveLength(1);
    expect(woken).toBe(1);
  });

  test('one mail a key, in parallel too', async () => {
    await Promise.all(Array.from({ length: 15 }, () => inMailer((mailer) => mailer.send(mail()))));
    await inMailer((mailer) => mailer.send(mail({ to: 'other@example.com' })));
    await inMailer((mailer) => mailer.send(mail({ key: 'placed:1002' })));
    expect(await rows()).toHaveLength(2);
    expect(await jobs()).toHaveLength(2);
  });

  test.each([
    '',
    'ana',
    'ana@',
    '@example.com',
    'a@b@c',
    'a@example.com,b@example.com',
    'Ana <a@example.com>',
    'a@example.com\r\nBcc: x@example.com',
    'a b@example.com',
  ])('what is no address is refused: %j', async (to) => {
    await expect(inMailer((mailer) => mailer.send(mail({ to })))).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await rows()).toEqual([]);
  });

  test('a mail without texts is a mistake of the plugin', async () => {
    for (const template of ['orders.unknown', 'nobody.placed', 'placed', 'orders.__proto__'])
      await expect(inMailer((mailer) => mailer.send(mail({ template })))).rejects.toThrow(
        `the e-mail ${template} has no messages`,
      );
  });
});

describe('sending', () => {
  test('text, HTML and attachment reach the mail server, in the language of the mail', async () => {
    const attachments = [{ name: 'factură.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7').toString('base64') }];
    await inMailer((mailer) => mailer.send(mail({ attachments })));
    await inMailer((mailer) => mailer.send(mail({ locale: 'en', key: 'second' })));
    await work();
    expect(received).toHaveLength(2);
    const [ro, en] = received.toSorted((a) => (a.source.includes('multipart/mixed') ? -1 : 1)) as [Received, Received];
    const { id } = (await rows())[0] as { id: string };
    expect(ro).toMatchObject({ to: ['ana@example.com'], from: expect.stringMatching(/^no-reply@shop-.*\.localhost$/) });
    expect(ro.source).toContain('From: "Fern & Co" <no-reply@');
    expect(ro.source).toMatch(new RegExp(`Message-ID:\\s+<${id}@shop-.*\\.localhost>`));
    expect(ro.source).toContain('Auto-Submitted: auto-generated');
    expect(ro.source).toContain('multipart/alternative');
    expect(ro.source).toContain(Buffer.from('%PDF-1.7').toString('base64'));
    const parts = decoded(ro.source);
    expect(parts).toContain('Bună, <b>Ana</b>!');
    expect(parts).toContain('<p>Bună, &lt;b&gt;Ana&lt;/b&gt;!</p>');
    expect(parts).toContain('<a href="https://shop.example.com/o/1?t=secret-token">');
    expect(en.source).toContain('Subject: Order 1001 is placed');
    // What it said is not kept.
    for (const row of await rows())
      expect(row).toMatchObject({ sent: true, attempts: 1, error: null, data: {}, attachments: [] });
  });

  test('a calendar file goes out with its method, so that the reader is asked', async () => {
    const invite = {
      name: 'invite.ics',
      type: 'text/calendar; charset=utf-8; method=REQUEST',
      content: Buffer.from('BEGIN:VCALENDAR\r\nSUMMARY:Tuns și spălat\r\nEND:VCALENDAR').toString('base64'),
    };
    await inMailer((mailer) => mailer.send(mail({ attachments: [invite] })));
    await work();
    const part = received[0]?.source.replace(/\r\n[ \t]+/g, ' ').match(/Content-Type: text\/calendar.*/)?.[0];
    expect(part).toMatch(/charset=utf-8/);
    expect(part).toMatch(/method=REQUEST/);
    expect(part).toMatch(/name=invite\.ics/);
    expect(received[0]?.source.replace(/\r\n/g, '')).toContain(invite.content);
  });

  test('a sent mail is not sent again', async () => {
    await inMailer((mailer) => mailer.send(mail()));
    await work();
    await serviceOf(transport).deliver(await jobOf());
    await inMailer((mailer) => mailer.send(mail()));
    expect(received).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
  });

  test('an unreachable or deferring server keeps the e-mail for a retry', async () => {
    await inMailer((mailer) => mailer.send(mail()));
    refusal = { responseCode: 451 };
    await expect(serviceOf(transport).deliver(await jobOf())).rejects.toThrow();
    const unreachable = smtpTransport('smtp://127.0.0.1:1');
    await expect(serviceOf(unreachable).deliver(await jobOf())).rejects.toThrow();
    unreachable.close();
    expect(await rows()).toMatchObject([{ sent: false, attempts: 2, error: 'unreachable' }]);
    refusal = undefined;
    await work();
    expect(received).toHaveLength(1);
  });

  test('a recipient that is rejected permanently is not retried', async () => {
    await inMailer((mailer) => mailer.send(mail()));
    refusal = { responseCode: 550 };
    await serviceOf(transport).deliver(await jobOf());
    await serviceOf(transport).deliver(await jobOf());
    expect(await rows()).toMatchObject([{ sent: false, attempts: 1, error: 'refused' }]);
    expect(JSON.stringify(log.lines)).not.toContain('ana@example.com');
  });

  test('without a mail server the mail and its job stay, and are sent once there is one', async () => {
    const none = serviceOf(undefined);
    expect(none.configured).toBe(false);
    await inMailer(async (mailer) => {
      expect(mailer.configured).toBe(false);
      await mailer.send(mail());
    }, none);
    await expect(none.deliver(await jobOf())).rejects.toThrow(MailNotConfiguredError);
    expect(await rows()).toMatchObject([{ sent: false, error: 'not_configured' }]);
    expect(await jobs()).toHaveLength(1);
    await work();
    expect(received).toHaveLength(1);
  });
});

test('in development each mail is a file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'storeloom-mail-'));
  const files = fileTransport(join(dir, 'mail'));
  await inMailer((mailer) => mailer.send(mail()), serviceOf(files));
  await work(serviceOf(files));
  const [name] = await readdir(join(dir, 'mail'));
  expect(name).toMatch(/^\d{4}-.*\.eml$/);
  const file = join(dir, 'mail', name as string);
  expect(decoded(await readFile(file, 'utf8'))).toContain('To: ana@example.com');
  expect((await stat(file)).mode & 0o077).toBe(0);
  files.close();
  await rm(dir, { recursive: true });
});

test('a mail never reads a file or an address', async () => {
  const through = smtpTransport(url);
  for (const bad of [{ path: '/etc/passwd' }, { href: 'http://127.0.0.1:1/' }])
    await expect(
      through.send({ to: 'a@example.com', from: 'b@example.com', text: 'x', attachments: [bad] }, 'id'),
    ).rejects.toThrow();
  through.close();
  expect(received).toEqual([]);
});

import { buffer } from 'node:stream/consumers';
import {
  accepted,
  type Ctx,
  f,
  file,
  files,
  type Job,
  type JobData,
  mailer,
  route,
  sql,
  withTimeout,
} from '@storeloom/plugin-sdk';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import { customer } from './customer.ts';
import { zipOf } from './export-zip.ts';
import { type Exported, exportPerson } from './person.ts';
import { queued } from './queued.ts';
import { requireRecentSignIn } from './recent.ts';

/** So long an export is waited for; then it goes on as a job and a mail says when it is ready. */
export const patience = { ms: 10_000 };
/** An export that was made is kept so long. */
const keptMs = 24 * 3600_000;

interface Document {
  exportedAt: string;
  customerId: string;
  data: Exported['data'];
}
interface Made {
  document: Document;
  attachments: { name: string; content: Buffer }[];
}

async function make(ctx: Ctx, customerId: string, withFiles: boolean): Promise<Made> {
  const { data, files: documents } = await exportPerson(ctx, customerId);
  const attachments: Made['attachments'] = [];
  for (const { name, open } of withFiles ? documents : []) attachments.push({ name, content: await open() });
  return { document: { exportedAt: ctx.clock.now(), customerId, data }, attachments };
}

/** The export, if it could be made in time; else it is being made. Asked for first, so that nothing more has to be written then. */
async function madeInTime(ctx: Ctx, customerId: string, withFiles: boolean): Promise<Made | undefined> {
  await ctx.transaction(async (inner) => {
    await inner.db.run(sql`insert into customers_data_export (tenant_id, customer_id, asked_at)
      values (${inner.tenant.id}, ${customerId}, ${inner.clock.now()})
      on conflict (tenant_id, customer_id) do update set asked_at = excluded.asked_at`);
    await inner.enqueue(
      queued.export,
      { customerId },
      { key: `export:${customerId}`, startAfter: Math.ceil(patience.ms / 1000) + 5 },
    );
  });
  const work = ctx.transaction((inner) => make(inner, customerId, withFiles), { readOnly: true });
  const made = await withTimeout(work, patience.ms, () => undefined);
  if (made === undefined) {
    work.catch((error: unknown) => ctx.log.warn({ plugin: 'customers', err: error }, 'an export in the background failed'));
    return undefined;
  }
  await ctx.transaction((inner) =>
    inner.db.run(
      sql`delete from customers_data_export where tenant_id = ${inner.tenant.id} and customer_id = ${customerId} and file is null`,
    ),
  );
  return made;
}

/** One that a job has made within the last day. */
async function prepared(ctx: Ctx, customerId: string): Promise<Buffer | undefined> {
  const since = new Date(ctx.clock.ms() - keptMs).toISOString();
  const row = await ctx.db.first<{ file: string }>(
    sql`select file from customers_data_export where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId} and file is not null and ready_at > ${since}`,
  );
  return row && buffer((await ctx.require(files).open(row.file)).stream);
}

interface Stored {
  document: Document;
  attachments: { name: string; content: string }[];
}

async function answer(ctx: Ctx, withFiles: boolean): Promise<Stored | undefined> {
  const row = await ctx.transaction((inner) => requireRecentSignIn(inner), { readOnly: true });
  const kept = await ctx.transaction((inner) => prepared(inner, row.id), { readOnly: true });
  if (kept) return JSON.parse(kept.toString('utf8')) as Stored;
  const made = await madeInTime(ctx, row.id, withFiles);
  return made && storable(made);
}
const storable = ({ document, attachments }: Made): Stored => ({
  document,
  attachments: attachments.map(({ name, content }) => ({ name, content: content.toString('base64') })),
});
const later = () =>
  accepted({
    status: 'accepted' as const,
    detail: 'The export is being prepared. An e-mail announces when it can be downloaded here.',
  });

const options = {
  auth: 'customer',
  transaction: 'none',
  writes: true,
  problems: ['reauthentication_required', 'email_unverified'],
  response: {
    exportedAt: f.instant(),
    customerId: f.id(),
    data: f.json().describe('Rows by the name of their resource, each as its plugin keeps it.'),
  },
  otherResponses: { 202: { status: f.oneOf(['accepted']), detail: f.text({ max: 500 }) } },
} as const;

export const dataExport = route(
  'GET',
  '/account/data-export',
  { ...options, summary: 'Everything that is kept on the customer, as JSON; 202 and a mail where it takes longer' },
  async (ctx: Ctx) => (await answer(ctx, false))?.document ?? later(),
);

export const dataExportZip = route(
  'GET',
  '/account/data-export-zip',
  {
    ...options,
    summary: 'Everything that is kept on the customer, as a ZIP of JSON, CSV and files; 202 and a mail where it takes longer',
    produces: 'application/zip',
  },
  async (ctx: Ctx) => {
    const stored = await answer(ctx, true);
    if (!stored) return later();
    const { document, attachments } = stored;
    const content = await zipOf(
      document,
      attachments.map(({ name, content: text }) => ({ name, content: Buffer.from(text, 'base64') })),
    );
    return file(content, { type: 'application/zip', name: 'data-export.zip' });
  },
);

/** Creates an export that took too long for the request, and notifies by e-mail. Does nothing if it was answered in time. */
export const exportJob: Job<JobData<typeof queued.export>> = {
  async run(ctx, { customerId }) {
    const asked = await ctx.db.first(
      sql`select 1 as one from customers_data_export where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId} and file is null for update`,
    );
    const row = await ctx.rows(customer).get(customerId);
    if (!asked || row?.status !== 'active') return;
    const stored = storable(await make(ctx, customerId, true));
    const { key } = await ctx.require(files).put(Buffer.from(JSON.stringify(stored)), {
      name: 'data-export.json',
      contentType: 'application/json',
      public: false,
      purpose: 'data-export',
    });
    await ctx.db.run(
      sql`update customers_data_export set file = ${key}, ready_at = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}`,
    );
    await ctx.require(mailer).send({
      to: row.email,
      template: 'customers.data_export',
      data: { url: storefrontUrl(ctx, '/account/data-export') },
      key: `data-export:${key}`,
    });
  },
};

async function removeExports(ctx: Ctx, which: ReturnType<typeof sql>): Promise<void> {
  const rows = await ctx.db.rows<{ file: string | null }>(
    sql`delete from customers_data_export where tenant_id = ${ctx.tenant.id} and ${which} returning file`,
  );
  for (const { file: key } of rows) if (key !== null) await ctx.require(files).remove(key);
}
export const removeExportsOf = (ctx: Ctx, customerId: string): Promise<void> =>
  removeExports(ctx, sql`customer_id = ${customerId}`);

/** An export lies ready for a day. */
export const tidy: Job = {
  cron: '53 * * * *',
  perTenant: true,
  run: (ctx) => removeExports(ctx, sql`coalesce(ready_at, asked_at) < ${new Date(ctx.clock.ms() - keptMs).toISOString()}`),
};

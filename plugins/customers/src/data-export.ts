import { type Ctx, file, route } from '@storeloom/plugin-sdk';
import { stringify } from 'csv-stringify/sync';
import { ZipFile } from 'yazl';
import { exportPerson } from './erasure.ts';
import { requireRecentSignIn } from './recent.ts';

export const dataExport = route(
  'GET',
  '/account/data-export',
  {
    auth: 'customer',
    summary: 'Everything that is kept on the customer, as JSON',
    problems: ['reauthentication_required', 'email_unverified'],
  },
  async (ctx: Ctx) => {
    const row = await requireRecentSignIn(ctx);
    return { exportedAt: ctx.clock.now(), customerId: row.id, data: await exportPerson(ctx, row.id) };
  },
);

/** A cell of a table: nested values as JSON, formulas disarmed. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /^[\s\uFEFF]*[=+\-@\t\r']/.test(text) && !/^[+-]?\d[\d., ]*$/.test(text) ? `'${text}` : text;
}

export const dataExportZip = route(
  'GET',
  '/account/data-export-zip',
  {
    auth: 'customer',
    summary: 'Everything that is kept on the customer, as a ZIP of JSON and CSV',
    produces: 'application/zip',
    problems: ['reauthentication_required', 'email_unverified'],
  },
  async (ctx: Ctx) => {
    const row = await requireRecentSignIn(ctx);
    const data = await exportPerson(ctx, row.id);
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from(JSON.stringify({ exportedAt: ctx.clock.now(), customerId: row.id, data }, null, 2)), 'data.json');
    for (const [resource, rows] of Object.entries(data)) {
      const columns = [...new Set(rows.flatMap((each) => Object.keys(each)))];
      const lines = [columns, ...rows.map((each) => columns.map((column) => cell(each[column])))];
      zip.addBuffer(Buffer.from(stringify(lines, { record_delimiter: 'windows' })), `${resource}.csv`);
    }
    zip.end();
    const chunks: Buffer[] = [];
    for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
    return file(Buffer.concat(chunks), { type: 'application/zip', name: 'data-export.zip' });
  },
);

import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  accepted,
  type Ctx,
  databaseProblem,
  f,
  files,
  type Job,
  notifications,
  Problem,
  problem,
  route,
  type TableRow,
  table,
} from '@storeloom/plugin-sdk';
import type { DataExchange, ImportReport } from './contract.ts';
import { fetchImages } from './images.ts';
import { queued } from './queued.ts';
import { readRows } from './records.ts';
import {
  cellReader,
  emptyReport,
  headerCheck,
  type ImageOf,
  type ImportOptions,
  noTally,
  type Progress,
  runImport,
} from './run-import.ts';
import { maxFileBytes, receiveUpload, type Upload } from './upload.ts';

/** More rows than this are imported by a job. */
export const limits = { atOnce: 2000 };
const imageBudgetMs = 15_000;
/** So often a long import is tried before it is given up. */
const maxAttempts = 3;

export const importRun = table(
  'import',
  {
    status: f.oneOf(['queued', 'running', 'completed', 'completed_with_errors', 'failed']),
    file: f.file().optional(),
    options: f.json<ImportOptions & { kind: Upload['kind'] }>(),
    report: f.json<Partial<ImportReport>>({ max: 1_000_000 }).optional(),
    userId: f.id().optional(),
    attempts: f.int({ min: 0 }).default(0),
    /** Finished products, independent of the result of the attempt; `report` counts them until the run ends. */
    done: f.int({ min: 0 }).default(0),
  },
  { sqlOnly: { data_exchange_import_created_idx: 'descending: newest first' } },
);

const fault = f.object({ line: f.int(), column: f.text().optional(), code: f.text(), message: f.text() });
const warning = f.object({ line: f.int().optional(), code: f.text(), message: f.text() });
const reportShape = {
  status: f.text(),
  rows: f.int(),
  created: f.int(),
  updated: f.int(),
  unchanged: f.int(),
  failed: f.int(),
  errors: f.list(fault),
  warnings: f.list(warning),
};

/** Rows go in first; images are fetched afterwards. */
async function importFile(
  ctx: Ctx,
  source: Readable | Buffer,
  options: ImportOptions,
  kind: Upload['kind'],
  {
    image,
    userId = ctx.actor.type === 'staff' ? ctx.actor.userId : null,
    report = emptyReport(),
    progress,
  }: { image?: ImageOf | undefined; userId?: string | null; report?: ImportReport; progress?: Progress } = {},
): Promise<ImportReport> {
  const remote: string[] = [];
  const keep: ImageOf =
    image ??
    (async (src) => {
      if (/^https?:\/\//i.test(src)) remote.push(src);
      return null;
    });
  await runImport(ctx, source, options, keep, kind, report, progress);
  if (!options.dryRun) report.warnings.push(...(await fetchImages(ctx, [...new Set(remote)], imageBudgetMs, userId)));
  return report;
}

async function countRows(upload: Upload, format: ImportOptions['format']): Promise<number> {
  if (upload.kind === 'json') {
    const list: unknown = JSON.parse((await text(upload.open())) || 'null');
    return Array.isArray(list) ? list.length : 0;
  }
  let rows = 0;
  for await (const _ of readRows(upload.open(), headerCheck(format), cellReader(format))) rows++;
  return rows;
}

export const importProducts = route(
  'POST',
  '/import/products',
  {
    permission: 'data-exchange.import.create',
    summary: 'Import products from a CSV or JSON file',
    transaction: 'none',
    rawBody: 'stream',
    contentTypes: ['multipart/form-data', 'text/csv', 'application/json', 'application/csv'],
    maxBytes: maxFileBytes + 10_000,
    query: {
      format: f.oneOf(['native', 'shopify']).default('native'),
      mode: f.oneOf(['create', 'update', 'upsert']).default('upsert'),
      dryRun: f.bool().default(false),
      decimalComma: f.bool().default(false),
      stock: f.oneOf(['new', 'set']).default('new'),
    },
    response: reportShape,
    otherResponses: { 202: { importId: f.id(), status: f.oneOf(['queued']), rows: f.int() } },
    problems: ['validation_failed'],
  },
  async (ctx, req) => {
    const upload = await receiveUpload(req.stream as Readable, req.headers);
    try {
      let rows: number;
      try {
        rows = await countRows(upload, req.query.format);
      } catch (error) {
        if (error instanceof SyntaxError) throw problem('malformed_request', { detail: 'The file is not valid JSON.' });
        throw error;
      }
      if (rows <= limits.atOnce || req.query.dryRun) {
        const report = await importFile(ctx, upload.open(), req.query, upload.kind);
        await ctx.transaction((inner) =>
          inner.audit({
            entity: 'data-exchange.import',
            entityId: null,
            extra: {
              rows: report.rows,
              created: report.created,
              updated: report.updated,
              failed: report.failed,
              dryRun: req.query.dryRun,
            },
          }),
        );
        return report;
      }
      return await ctx.transaction(async (inner) => {
        const stored = await inner.require(files).put(upload.open(), {
          name: `import.${upload.kind}`,
          contentType: upload.kind === 'json' ? 'application/json' : 'text/csv',
          public: false,
          purpose: 'import',
        });
        const userId = inner.actor.type === 'staff' ? inner.actor.userId : null;
        const run = await inner
          .rows(importRun)
          .insert({ status: 'queued', file: stored.key, options: { ...req.query, kind: upload.kind }, userId });
        // Once more than it is tried: a run whose worker was killed every time is still closed.
        await inner.enqueue(queued.import, { id: run.id }, { key: run.id, retryLimit: maxAttempts });
        await inner.audit({ entity: 'data-exchange.import', entityId: run.id, extra: { rows } });
        return accepted({ importId: run.id, status: 'queued' as const, rows });
      });
    } finally {
      await upload.remove();
    }
  },
);

/** Result of a queued import, where its notification links to. Until the import ends, the figures of the finished products. */
export const importResult = route(
  'GET',
  '/import/{id}',
  {
    permission: 'data-exchange.import.create',
    entity: 'data-exchange.import',
    additive: true,
    summary: 'Status and report of a queued import',
    response: { id: f.id(), createdAt: f.instant(), updatedAt: f.instant(), ...reportShape },
  },
  async (ctx, req) => {
    const { id, createdAt, updatedAt, status, report } = await ctx.rows(importRun).require(req.params.id as string);
    return { id, createdAt, updatedAt, ...emptyReport(), ...report, status };
  },
);

/** An attempt that broke off has written what it has written: in mode `create` the next one would call it a duplicate. */
function progressOf({ id, done, report }: TableRow<typeof importRun>): Progress {
  return {
    done,
    tally: { ...noTally(), ...report },
    async save(ctx, through, tally) {
      await ctx.rows(importRun).update(id, { done: through, report: { ...tally } });
    },
  };
}

const endings = {
  finished: { ro: 'Importul s-a încheiat', en: 'The import is finished' },
  failed: { ro: 'Importul nu a reușit', en: 'The import failed' },
};

/** A long import. Its report, also that of one which could not be done, arrives as a notification of the one who asked for it. */
export const importJob: Job = {
  transaction: 'none',
  retryLimit: maxAttempts,
  async run(ctx, { id }) {
    const run = await ctx.transaction(async (inner) => {
      const row = await inner.rows(importRun).get(id as string, { lock: true });
      if (!row || (row.status !== 'queued' && row.status !== 'running')) return undefined;
      return inner.rows(importRun).update(row.id, { status: 'running', attempts: row.attempts + 1 });
    });
    if (!run?.file) return;
    const { kind, ...options } = run.options;
    const report = emptyReport();
    try {
      if (run.attempts > maxAttempts)
        throw problem('unavailable', { detail: 'The import was interrupted repeatedly and has ended.' });
      const { stream } = await ctx.transaction((inner) => inner.require(files).open(run.file as string), { readOnly: true });
      await importFile(ctx, stream, options, kind, { userId: run.userId, report, progress: progressOf(run) });
    } catch (error) {
      // Another attempt changes nothing about a file that is refused.
      const refused = error instanceof Problem && error.code !== 'unavailable' && error.code !== 'conflict';
      if (!refused && run.attempts < maxAttempts) throw error;
      ctx.log.error({ plugin: 'data-exchange', import: run.id, err: error }, 'an import failed');
      const known = error instanceof Problem ? error : (databaseProblem(error) ?? problem('internal_error'));
      const message = known.extra.detail ?? 'The import could not be done.';
      report.errors.push({ line: 1, column: null, code: known.code, message });
      report.status = 'failed';
    }
    await ctx.transaction(async (inner) => {
      await inner.rows(importRun).update(run.id, { status: report.status, report });
      const summary = `${report.created} + ${report.updated} / ${report.rows}, ${report.failed} !`;
      await inner.use(notifications)?.notifyStaff({
        type: report.status === 'failed' ? 'import_failed' : 'import_finished',
        title: report.status === 'failed' ? endings.failed : endings.finished,
        body: { ro: summary, en: summary },
        link: `/import/${run.id}`,
        ...(run.userId === null ? {} : { userIds: [run.userId] }),
      });
    });
  },
};

export function dataExchangeService(ctx: Ctx): DataExchange {
  return {
    importProducts: (
      source,
      { format, mode = 'upsert', dryRun = false, decimalComma = false, stock = 'new', image, featuredTag },
    ) => importFile(ctx, source, { format, mode, dryRun, decimalComma, stock, featuredTag }, 'csv', { image }),
  };
}

import type { IncomingMessage } from 'node:http';
import { f, Problem, type Route, type Shape } from '@storeloom/plugin-sdk';
import { equalSecrets } from '@storeloom/plugin-sdk/public';
import { z } from 'zod';
import type { FileService } from '../files/files.ts';
import type { Metrics } from '../observability/metrics.ts';
import { normalizeHost, type TenantDirectory } from '../tenancy/directory.ts';
import { errorDocument } from './error-document.ts';
import type { ProblemTable } from './problems.ts';
import { type Coding, etagOf, type ResponseParts } from './response.ts';
import type { MountedRoute } from './routes.ts';

/** State that the core's own routes read. */
export interface CoreState {
  health(): Promise<{ status: number; body: Record<string, unknown> }>;
  metrics: Metrics;
  metricsToken: string | undefined;
  openapi(): Promise<Record<string, unknown>>;
  version: string;
  files: FileService;
  tenants: TenantDirectory;
  problems: ProblemTable;
}

const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** A route of the core itself. It has no unit of work. */
export interface CoreRoute extends MountedRoute {
  answer(state: CoreState, req: IncomingMessage): Promise<ResponseParts>;
}

function core(path: string, options: Partial<Route['options']>, answer: CoreRoute['answer']): CoreRoute {
  return { family: 'core', plugin: null, path, route: { method: 'GET', path, options, handler: () => undefined }, answer };
}

const product = { name: f.text(), version: f.text(), documentation: f.text() } satisfies Shape;
const readiness = z.strictObject({
  ok: z.literal(true),
  version: z.string(),
  degraded: z.array(z.strictObject({ plugin: z.string(), state: z.string(), code: z.string().nullable() })),
  licence: z.string(),
});
const document = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.looseObject({ summary: z.string().optional() })),
});

/** Returns the last segment of the request's path, decoded. */
const lastPart = (req: IncomingMessage): string =>
  decodeURIComponent((req.url ?? '').split('?', 1)[0]?.replace(/\/$/, '').split('/').pop() ?? '');

let text: { document: Record<string, unknown>; json: string; etag: string; variants: Map<Coding, Promise<Buffer>> } | undefined;

export function coreRoutes(): CoreRoute[] {
  return [
    core('/', { summary: 'Product, version and where the documentation is', response: product }, async ({ version }) => ({
      status: 200,
      headers: json,
      body: JSON.stringify({ name: 'Storeloom', version, documentation: '/openapi.json' }),
    })),
    core('/health', { summary: 'Readiness', response: readiness }, async ({ health }) => {
      const { status, body } = await health();
      return { status, headers: status === 200 ? json : { ...json, 'retry-after': '2' }, body: JSON.stringify(body) };
    }),
    core('/metrics', { summary: 'Prometheus metrics', produces: 'text/plain' }, async ({ metrics, metricsToken }, req) => {
      if (metricsToken !== undefined && !equalSecrets(req.headers.authorization ?? '', `Bearer ${metricsToken}`))
        throw new Problem('unauthenticated', { detail: 'The metrics token is missing or wrong.' });
      return {
        status: 200,
        headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
        body: await metrics.text(),
      };
    }),
    core('/openapi.json', { summary: 'OpenAPI 3.1 of every mounted route', response: document }, async ({ openapi }) => {
      const document = await openapi();
      if (text?.document !== document) {
        const body = JSON.stringify(document);
        text = { document, json: body, etag: etagOf(body), variants: new Map() };
      }
      const { etag, variants, json: body } = text;
      return { status: 200, headers: { ...json, etag, 'cache-control': 'public, max-age=60' }, body, variants };
    }),
    core(
      '/errors/{code}',
      {
        summary: 'What an error code means and what to do about it',
        additive: true,
        params: { code: f.text({ max: 100 }) },
        response: { code: f.text(), type: f.text(), status: f.int().optional(), title: f.text(), help: f.text() },
      },
      async ({ problems }, req) => {
        const document = errorDocument(lastPart(req), problems);
        if (!document) throw new Problem('not_found', { detail: 'No error has this code.' });
        return { status: 200, headers: { ...json, 'cache-control': 'public, max-age=3600' }, body: JSON.stringify(document) };
      },
    ),
    core(
      '/files/{key}',
      {
        summary: 'A public file of the shop',
        additive: true,
        params: { key: f.text({ max: 100 }) },
        produces: '*/*',
      },
      async ({ files, tenants }, req) => {
        const host = normalizeHost(req.headers.host);
        const entry = host === undefined ? undefined : await tenants.byHost(host);
        const served = entry && (await files.serve(entry.tenant.id, lastPart(req), req.headers));
        if (!served) throw new Problem('not_found');
        return { status: served.status, headers: served.headers, body: served.stream };
      },
    ),
  ];
}

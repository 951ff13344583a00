import type Koa from 'koa';
import type { ClientDisconnect } from './client-disconnect.ts';
import type { PipelineHost } from './pipeline-host.ts';
import type { CompiledRoute } from './routes.ts';

/** One request on its matched route, as the pipeline hands it from step to step: `admit`, `serve`, `work`. */
export interface Exchange {
  readonly host: PipelineHost;
  readonly koa: Koa.Context;
  readonly route: CompiledRoute;
  /** Path parameters as matched, not validated yet. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  /** Host that was called, normalised. */
  readonly requestHost: string | undefined;
  readonly requestId: string;
  readonly disconnect: ClientDisconnect;
  /** The whole body. It is read from the socket once; later calls get the same bytes. */
  readBody(limit: number): Promise<Buffer>;
  /** Counts the request for a tenant that only the handler knows. @throws Problem `unavailable` above the tenant's limits */
  countFor(tenantId: string): void;
  /** Compare the tenant in memory with its revision in the database; a stale one restarts the request. */
  readonly checkRevision: boolean;
}

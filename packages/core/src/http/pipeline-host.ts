import type { IncomingMessage } from 'node:http';
import type { Authenticator, Req } from '@storeloom/plugin-sdk';
import type { ContextHost } from '../context/context.ts';
import type { Scope } from '../context/scope.ts';
import type { TenantDirectory } from '../tenancy/directory.ts';
import type { ProblemTable } from './problems.ts';
import type { ResponseParts } from './response.ts';
import type { ResponseCache } from './response-cache.ts';
import type { CompiledRoute, RouteTable } from './routes.ts';

export interface PipelineHost {
  readonly context: ContextHost;
  readonly tenants: TenantDirectory;
  readonly routes: RouteTable;
  readonly problems: ProblemTable;
  readonly cache: ResponseCache;
  /** Drops a tenant from this process's caches. */
  forget(tenantId: string): void;
  /** False while this process is not listening for changes of other processes: cached responses are not used then. */
  receivesChanges(): boolean;
  authenticator(): Authenticator | undefined;
  /** State of an installed plugin; undefined if it is unknown. */
  stateOf(plugin: string): string | undefined;
  /** Consumes the route's rate limits. Returns the RateLimit headers. @throws Problem `rate_limited` */
  limit(route: CompiledRoute, scope: Scope, req: Req<unknown, unknown, unknown>): Promise<Record<string, string>>;
  webhook(
    route: CompiledRoute,
    input: {
      raw: Buffer;
      headers: IncomingMessage['headers'];
      query: Record<string, string>;
      params: Record<string, string>;
      ip: string | null;
      requestId: string;
    },
  ): Promise<ResponseParts>;
  core(route: CompiledRoute, req: IncomingMessage): Promise<ResponseParts>;
  allowedOrigins(tenantId: string): readonly string[];
  ipOf(req: IncomingMessage): string | null;
  schemeOf(req: IncomingMessage): 'http' | 'https';
  draining(): boolean;
  observe(
    route: CompiledRoute | undefined,
    method: string,
    status: number,
    seconds: number,
    subject: { requestId: string; tenantId: string | undefined },
  ): void;
  onError(error: unknown, fields: Record<string, unknown>): void;
}

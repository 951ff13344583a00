import type { IncomingMessage } from 'node:http';
import type { Authenticator, Req } from '@storeloom/plugin-sdk';
import type { ContextHost } from '../context.ts';
import type { Scope } from '../scope.ts';
import type { TenantDirectory } from '../tenancy/directory.ts';
import type { Answer } from './answer.ts';
import type { ProblemTable } from './problems.ts';
import type { ResponseCache } from './response-cache.ts';
import type { CompiledRoute, RouteTable } from './routes.ts';

export interface PipelineHost {
  readonly context: ContextHost;
  readonly tenants: TenantDirectory;
  readonly routes: RouteTable;
  readonly problems: ProblemTable;
  readonly cache: ResponseCache;
  /** Drops what this process remembers of a tenant. */
  forget(tenantId: string): void;
  /** False while changes that other processes make can't be heard: whole answers are not taken from memory then. */
  hears(): boolean;
  authenticator(): Authenticator | undefined;
  /** State of a plugin of the installation that isn't ready. */
  stateOf(plugin: string): string | undefined;
  /** Throws `rate_limited`; gives the headers that tell the limit. */
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
  ): Promise<Answer>;
  core(route: CompiledRoute, req: IncomingMessage): Promise<Answer>;
  allowedOrigins(tenantId: string): readonly string[];
  ipOf(req: IncomingMessage): string | null;
  draining(): boolean;
  observe(
    route: CompiledRoute | undefined,
    method: string,
    status: number,
    seconds: number,
    whose: { requestId: string; tenantId: string | undefined },
  ): void;
  onError(error: unknown, fields: Record<string, unknown>): void;
}

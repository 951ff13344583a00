// Generated from the OpenAPI document of the kernel. Do not edit.

import type { CallOptions, Download, Slice } from '../index.ts';

export interface CoreGetErrorsByCodeAnswer {
  code: string;
  type: string;
  status: number | null;
  title: string;
  help: string;
}

export interface CoreGetHealthAnswer {
  ok: true;
  version: string;
  degraded: { plugin: string; state: string; code: string | null; }[];
  licence: string;
}

export interface CoreGetOpenapiJsonAnswer {
  openapi: string;
  info: { title: string; version: string; [name: string]: unknown; };
  paths: Record<string, { summary?: string; [name: string]: unknown; }>;
  [name: string]: unknown;
}

export interface CoreGetRootAnswer {
  name: string;
  version: string;
  documentation: string;
}

export interface CoreSystem {
  errors: {
    /** What an error code means and what to do about it. `GET /errors/{code}`. */
    get(code: string, options?: CallOptions): Promise<CoreGetErrorsByCodeAnswer>;
  };
  files: {
    /** A public file of the shop. `GET /files/{key}`. */
    get(key: string, options?: CallOptions): Promise<Download>;
  };
  /** Readiness. `GET /health`. */
  health(options?: CallOptions): Promise<CoreGetHealthAnswer>;
  /** Prometheus metrics. `GET /metrics`. */
  metrics(options?: CallOptions): Promise<Download>;
  /** OpenAPI 3.1 of every mounted route. `GET /openapi.json`. */
  openapiJson(options?: CallOptions): Promise<CoreGetOpenapiJsonAnswer>;
  /** Product, version and where the documentation is. `GET /`. */
  root(options?: CallOptions): Promise<CoreGetRootAnswer>;
}

export type CoreEvents = object;

const systemRoutes = `
errors.get GET /errors/{}
files.get GET /files/{} f
health GET /health
metrics GET /metrics f
openapiJson GET /openapi.json
root GET /
`;

/** Routes and events of core. */
export const core: Slice<{ system: CoreSystem }, CoreEvents> = { plugin: 'core', routes: { system: systemRoutes } };

/** Routes of core for visitors of a shop: without those for staff and operators. */
export const coreStorefront: Slice<{ system: CoreSystem }, CoreEvents> = { plugin: 'core', routes: { system: systemRoutes } };

import type { ProblemType, Route } from '@storeloom/plugin-sdk';

/** Group of routes with one prefix and one kind of authentication. */
export type RouteFamily = 'admin' | 'storefront' | 'super-admin' | 'auth' | 'system' | 'webhooks' | 'core';

/** A mounted route, as the document describes it. */
export interface DocumentedRoute {
  readonly family: RouteFamily;
  /** Name of the plugin that serves it; null for the kernel. */
  readonly plugin: string | null;
  readonly route: Route;
  /** Full path without a trailing slash, with parameters in braces: `/api/admin/orders/{id}`. */
  readonly path: string;
}

/** Problem code → status, title and help. */
export type ProblemTable = ReadonlyMap<string, ProblemType>;

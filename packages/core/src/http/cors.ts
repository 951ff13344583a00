import type { IncomingMessage } from 'node:http';
import type { Tenant } from '@storeloom/plugin-sdk';
import type { PipelineHost } from './pipeline-host.ts';

/** Sets the CORS headers if the origin is one of the tenant's hosts or listed origins, never `*`. Returns whether it did. */
export function cors(
  host: PipelineHost,
  headers: Record<string, string | string[]>,
  req: IncomingMessage,
  tenant: Tenant | null,
): boolean {
  const { origin } = req.headers;
  if (origin === undefined || !tenant || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (!tenant.hosts.includes(url.hostname) && !host.allowedOrigins(tenant.id).includes(url.origin)) return false;
  headers['access-control-allow-origin'] = url.origin;
  headers['access-control-allow-credentials'] = 'true';
  headers['access-control-expose-headers'] = 'etag, link, location, retry-after, x-request-id, idempotency-replayed';
  if (headers.vary === undefined) headers.vary = 'Origin';
  else if (!/\borigin\b/i.test(String(headers.vary))) headers.vary = `${String(headers.vary)}, Origin`;
  return true;
}

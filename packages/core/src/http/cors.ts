import type { IncomingMessage } from 'node:http';
import { normalizeHost } from '../tenancy/directory.ts';
import { isOriginOf } from './origin.ts';
import type { PipelineHost } from './pipeline-host.ts';
import { addVary, type ResponseParts } from './response.ts';

/** Response headers that scripts of another origin may read, besides those that every browser shows them. */
export const exposedHeaders: readonly string[] = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
];
const exposed = exposedHeaders.join(', ');

/**
 * Sets the CORS headers if the origin is one of the hosts or `allowedOrigins` of the tenant whose host was called, never `*`. Returns
 * whether it did. The host decides, not the credentials: preflights carry none, and a refused request may have invalid ones.
 */
export async function cors(host: PipelineHost, headers: ResponseParts['headers'], req: IncomingMessage): Promise<boolean> {
  const { origin } = req.headers;
  // Shared caches must not serve the response to an origin that it doesn't name.
  if (String(headers['cache-control']).startsWith('public')) addVary(headers, 'Origin');
  if (origin === undefined || !URL.canParse(origin)) return false;
  const requestHost = normalizeHost(req.headers.host);
  // Without a database the response is 503 already; if the tenant isn't in memory either, its origins are unknown.
  const entry = requestHost === undefined ? undefined : await host.tenants.byHost(requestHost).catch(() => undefined);
  if (!entry) return false;
  const { id, hosts } = entry.tenant;
  if (!isOriginOf(origin, hosts, req, host.schemeOf(req)) && !host.allowedOrigins(id).includes(new URL(origin).origin))
    return false;
  headers['access-control-allow-origin'] = new URL(origin).origin;
  headers['access-control-allow-credentials'] = 'true';
  headers['access-control-expose-headers'] = exposed;
  addVary(headers, 'Origin');
  return true;
}

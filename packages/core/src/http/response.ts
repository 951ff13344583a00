import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { FileReply, JsonText, Reply } from '@storeloom/plugin-sdk';
import type { CompiledRoute } from './routes.ts';

/** Content coding of a compressed response. */
export type Coding = 'br' | 'gzip';

export interface ResponseParts {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Buffer | Readable | null;
  /** Compressed forms of a body that is sent repeatedly, filled on first use. */
  variants?: Map<Coding, Promise<Buffer>>;
}

/** Adds a header name to `Vary`. */
export function addVary(headers: ResponseParts['headers'], name: string): void {
  const { vary } = headers;
  if (vary === undefined) headers.vary = name;
  else if (
    !String(vary)
      .split(',')
      .some((part) => part.trim().toLowerCase() === name.toLowerCase())
  )
    headers.vary = `${String(vary)}, ${name}`;
}

const json = 'application/json; charset=utf-8';
/**
 * Adds a Content-Security-Policy to HTML, SVG and other XML that a plugin returns: inline styles only, no scripts, no requests, no forms.
 * A plugin may set its own policy.
 */
function asPage<H extends ResponseParts['headers']>(headers: H): H {
  const isPage = /^(?:text\/html|[^;]*[/+]xml)\b/i.test(String(headers['content-type']));
  if (!isPage || Object.keys(headers).some((name) => name.toLowerCase() === 'content-security-policy')) return headers;
  return {
    ...headers,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  };
}

function versionEtag(version: number): string {
  return `"${version}"`;
}
export function etagOf(text: string): string {
  return `"${hash('sha1', text, 'base64url')}"`;
}
function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag);
}

/** Returns 304 without the body if the caller holds the current representation (RFC 9110, 15.4.5). */
export function conditional(response: ResponseParts, ifNoneMatch: string | undefined): ResponseParts {
  const { status, headers, body } = response;
  if (status !== 200 || typeof headers.etag !== 'string' || !etagMatches(ifNoneMatch, headers.etag)) return response;
  if (body instanceof Readable) body.destroy();
  const kept = ['etag', 'cache-control', 'vary', 'link'].filter((name) => headers[name] !== undefined);
  return { status: 304, headers: Object.fromEntries(kept.map((name) => [name, headers[name] as string])), body: null };
}

/** Parses `If-Match: "3"` to 3; NaN, which matches no version, if it is malformed. */
export function ifMatchVersion(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const match = /^\s*(?:W\/)?"(\d{1,9})"\s*$/.exec(header);
  return match ? Number(match[1]) : Number.NaN;
}

/** Converts a handler's result to status, headers and body. */
export function responseOf(route: CompiledRoute, result: unknown, url: string): ResponseParts {
  if (result instanceof FileReply) {
    const headers: Record<string, string> = {
      'content-type': result.type,
      'cache-control': 'no-store',
      ...result.headers,
    };
    if (result.name !== undefined)
      headers['content-disposition'] =
        `attachment; filename="${result.name.replace(/[^\w.\- ]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(result.name)}`;
    return { status: result.status, headers: asPage(headers), body: result.content };
  }
  if (result instanceof JsonText)
    return { status: route.route.options.status ?? 200, headers: { 'content-type': json }, body: result.text };
  const reply = result instanceof Reply ? result : undefined;
  const body: unknown = reply ? reply.body : result;
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(reply?.headers ?? {})) headers[name.toLowerCase()] = value;
  const { location } = headers;
  if (typeof location === 'string' && location.startsWith('/') && !location.startsWith('/api/') && !route.middleware)
    headers.location = `${route.prefix}${location}`;
  if (body === undefined || body === null) return { status: reply?.status ?? 204, headers, body: null };
  headers['content-type'] ??= json;
  if (typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable)
    return { status: reply?.status ?? 200, headers: asPage(headers), body };
  const version = reply?.version ?? (body as { version?: unknown }).version;
  if (typeof version === 'number') headers.etag ??= versionEtag(version);
  const cursor = (body as { page?: { nextCursor?: string | null } }).page?.nextCursor;
  if (typeof cursor === 'string') headers.link ??= nextLink(url, cursor);
  const status = reply?.status ?? 200;
  return { status, headers, body: JSON.stringify(route.declared(status, body)) };
}

function nextLink(url: string, cursor: string): string {
  const mark = url.indexOf('?');
  const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
  query.set('cursor', cursor);
  return `<${mark === -1 ? url : url.slice(0, mark)}?${query.toString()}>; rel="next"`;
}

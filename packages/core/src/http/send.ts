import { Readable } from 'node:stream';
import type Koa from 'koa';
import type { ResponseParts } from './response.ts';
import { endSlowReader, type ReadingSpeed } from './slow-reader.ts';

/** Writes a text directly, with its headers in one packet; streams and empty bodies are left to Koa. */
export function send(koa: Koa.Context, { status, headers, body }: ResponseParts, slowest?: ReadingSpeed): void {
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  if (isText && headers['content-type'] !== undefined && status !== 204 && status !== 304) {
    koa.respond = false;
    headers['content-length'] = String(Buffer.byteLength(body));
    koa.res.writeHead(status, headers);
    koa.res.end(koa.req.method === 'HEAD' ? undefined : body);
    if (koa.res.writableLength > 0) endSlowReader(koa.res, slowest);
    return;
  }
  if (body instanceof Readable) endSlowReader(koa.res, slowest);
  koa.status = status;
  for (const [name, value] of Object.entries(headers)) koa.set(name, value);
  koa.body = body;
  if (body === null) koa.status = status;
}

import type { IncomingMessage } from 'node:http';
import { Problem } from '@storeloom/plugin-sdk';
import { normalizeHost } from '../tenancy/directory.ts';

/** Rejects duplicate hosts, ambiguous body framing (request smuggling) and compressed bodies, before the body is read. */
export function checkFraming(req: IncomingMessage): void {
  const { rawHeaders } = req;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1 || (req.headers['content-length'] !== undefined && req.headers['transfer-encoding'] !== undefined))
    throw new Problem('malformed_request', { detail: 'The request is framed ambiguously.' });
  const coding = req.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported_media_type', { detail: 'Compressed bodies are not supported.' });
}
export function hostHeader(req: IncomingMessage): string | undefined {
  const target = req.url ?? '';
  if (
    /^https?:\/\//i.test(target) &&
    URL.canParse(target) &&
    normalizeHost(new URL(target).host) !== normalizeHost(req.headers.host)
  )
    throw new Problem('malformed_request', { detail: 'The host of the request target differs from the Host header.' });
  return req.headers.host;
}

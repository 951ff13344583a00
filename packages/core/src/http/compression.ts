import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { addVary, type Coding, type ResponseParts } from './response.ts';

const leastBytes = 1024;
const textual = /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.+-]+\+)?(?:json|xml|x-ndjson)\b)/i;
const secretName = '(?:[tT]oken|[sS]ecret|[pP]assword|[oO]tp|apiKey|privateKey|recoveryCodes)';
/**
 * A property that holds a token or another secret, a link with a token, or a field of a form or a page that holds one. The `&` of a link is
 * escaped in HTML, XML and JSON. Bounded repetitions, since the text can be a caller's.
 */
const secret = new RegExp(
  [
    String.raw`"\w*(?:${secretName}|otpauth\w*)"\s{0,9}:\s{0,9}["[]`,
    String.raw`(?:[?&;]|\\u0026)(?:\w{0,40}[tT]oken|code|state)=`,
    String.raw`<(?:input|meta)\s[^<>]{0,400}\b(?:name|id|property)=["']?[\w-]{0,40}(?:${secretName}|csrf)`,
  ].join('|'),
);

/**
 * Whether a response carries a credential. Compressing it would let an attacker who can add text to the response guess the credential by
 * the length (BREACH).
 */
function carriesSecret({ headers, body, variants }: ResponseParts): boolean {
  // What all callers get holds no credential of one.
  if (variants) return false;
  if (headers['set-cookie'] !== undefined) return true;
  if (typeof body === 'string') return secret.test(body);
  // What it looks for is ASCII, so the charset doesn't matter.
  return Buffer.isBuffer(body) && secret.test(body.toString('latin1'));
}

function isCompressible(response: ResponseParts): boolean {
  const { status, headers, body } = response;
  if (body === null || status === 204 || status === 206 || status === 304) return false;
  if (!textual.test(String(headers['content-type'] ?? '')) || headers['content-encoding'] !== undefined) return false;
  if (/\bno-transform\b/.test(String(headers['cache-control']))) return false;
  const size = body instanceof Readable ? Number(headers['content-length'] ?? leastBytes) : Buffer.byteLength(body);
  return size >= leastBytes && !carriesSecret(response);
}

/** Picks the coding that the client accepts, `br` before `gzip` (RFC 9110, 12.5.3). */
function codingOf(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const quality = new Map<string, number>();
  for (const part of header.toLowerCase().slice(0, 500).split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    quality.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const accepts = (coding: Coding): boolean => (quality.get(coding) ?? quality.get('*') ?? 0) > 0;
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : undefined;
}

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const compressors: Readonly<Record<Coding, (content: string | Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, brotliOptions),
  gzip: promisify(gzip) as (content: string | Buffer) => Promise<Buffer>,
};

function compressedStream(source: Readable, coding: Coding): Readable {
  const compressor = coding === 'br' ? createBrotliCompress(brotliOptions) : createGzip();
  // An error of either side destroys the other: the socket's owner sees it on the compressor.
  return pipeline(source, compressor, () => undefined);
}

/** Compresses a text of at least 1 KB for clients that accept it. `variants` of the response keeps what was compressed. */
export async function compress(response: ResponseParts, acceptEncoding: string | undefined): Promise<ResponseParts> {
  if (!isCompressible(response)) return response;
  const { body, variants } = response;
  const headers = { ...response.headers };
  addVary(headers, 'Accept-Encoding');
  const coding = codingOf(acceptEncoding);
  if (coding === undefined) return { ...response, headers };
  headers['content-encoding'] = coding;
  delete headers['content-length'];
  delete headers['accept-ranges'];
  // Other bytes than those of the strong tag; comparisons of versions accept the weak form.
  if (typeof headers.etag === 'string' && !headers.etag.startsWith('W/')) headers.etag = `W/${headers.etag}`;
  if (body instanceof Readable) return { ...response, headers, body: compressedStream(body, coding) };
  let compressed = variants?.get(coding);
  if (!compressed) {
    compressed = compressors[coding](body as string | Buffer);
    variants?.set(coding, compressed);
  }
  return { ...response, headers, body: await compressed };
}

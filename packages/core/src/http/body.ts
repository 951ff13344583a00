import type { IncomingMessage } from 'node:http';
import { Problem } from '@storeloom/plugin-sdk';

export const maxJsonBytes = 1_000_000;
const maxDepth = 32;
const maxKeys = 2000;

/** Reads the whole body; 413 above the limit. Calls `onBytes` with the number of bytes that have arrived; its error ends the reading. */
export async function readBytes(req: IncomingMessage, limit: number, onBytes?: (size: number) => void): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > limit) throw new Problem('payload_too_large', { detail: `The body exceeds ${limit} bytes.` });
  const chunks: Buffer[] = [];
  let size = 0;
  // A destroyed request has no socket for its response.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new Problem('payload_too_large', { detail: `The body exceeds ${limit} bytes.` });
    onBytes?.(size);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Measures nesting on the text, before the parser runs. */
function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 92) i++;
      else if (c === 34) inString = false;
    } else if (c === 34) inString = true;
    else if (c === 123 || c === 91) {
      if (++depth > maxDepth)
        throw new Problem('body_too_deep', { detail: `The body is nested more than ${maxDepth} levels deep.` });
    } else if (c === 125 || c === 93) depth--;
  }
}

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

/** Rejects NUL, prototype keys and too many properties, at any depth. */
function checkValue(value: unknown): void {
  let keys = 0;
  const walk = (node: unknown, at: string): void => {
    if (typeof node === 'string') {
      if (node.includes('\0'))
        throw new Problem('malformed_request', {
          detail: `${at || 'The body'} contains a NUL character.`,
          errors: [{ pointer: at, code: 'nul', message: 'must not contain NUL' }],
        });
    } else if (Array.isArray(node)) for (const [i, item] of node.entries()) walk(item, `${at}/${i}`);
    else if (typeof node === 'object' && node !== null) {
      for (const key of Object.keys(node)) {
        if (++keys > maxKeys) throw new Problem('malformed_request', { detail: `The body has more than ${maxKeys} properties.` });
        const pointer = `${at}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`;
        if (forbidden.has(key))
          throw new Problem('unknown_field', {
            errors: [{ pointer, code: 'unknown_field', message: 'is not a known property' }],
          });
        if (key.includes('\0')) throw new Problem('malformed_request', { detail: 'A property name contains a NUL character.' });
        walk((node as Record<string, unknown>)[key], pointer);
      }
    }
  };
  walk(value, '');
}

/** Parses JSON by the rules of the wire contract. An empty body is an empty object. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new Problem('malformed_request', { detail: 'The body is not valid UTF-8.' });
  }
  checkDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('malformed_request', { detail: 'The body is not valid JSON.' });
  }
  checkValue(value);
  return value;
}

export function isJsonType(header: string | undefined): boolean {
  if (header === undefined) return false;
  const type = header.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/json' || (type?.startsWith('application/') === true && type.endsWith('+json'));
}

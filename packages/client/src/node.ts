import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Fetch } from './transport.ts';

/** Responses with these statuses have no body. */
const bodyless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Returns a `fetch` for `createClient` that connects to `address` and sends the host of each URL as `Host`. A server that renders a
 * storefront reaches the API on its internal address this way, while `storefront({ host })` selects the shop.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://shop.example', slices, fetch: fetchVia('http://127.0.0.1:4000') });
 * ```
 */
export function fetchVia(address: string): Fetch {
  const target = new URL(address);
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return async (url, init) => {
    // Serialises form data and Blobs, with their content type.
    const prepared = new Request(url, init);
    const { host, pathname, search } = new URL(url);
    return new Promise<Response>((resolve, reject) => {
      const outgoing = send(
        target,
        {
          method: prepared.method,
          path: `${target.pathname.replace(/\/$/, '')}${pathname}${search}`,
          headers: { ...Object.fromEntries(prepared.headers), host },
          signal: prepared.signal,
        },
        (incoming) => {
          const headers = new Headers();
          for (let i = 0; i < incoming.rawHeaders.length; i += 2)
            headers.append(incoming.rawHeaders[i] as string, incoming.rawHeaders[i + 1] as string);
          const status = incoming.statusCode ?? 0;
          if (bodyless.has(status)) incoming.resume();
          // cast: Node's types of the stream and those of `fetch` declare one class twice.
          const body = bodyless.has(status) ? null : (Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>);
          resolve(new Response(body, { status, headers }));
        },
      );
      // As `fetch` rejects, so that the client knows the failure of a connection.
      const fail = (cause: unknown): void => reject(new TypeError('fetch failed', { cause }));
      outgoing.once('error', fail);
      if (prepared.body)
        // cast: Node's types of the stream and those of `fetch` declare one class twice.
        pipeline(Readable.fromWeb(prepared.body as unknown as NodeStream), outgoing, (error) => error && fail(error));
      else outgoing.end();
    });
  };
}

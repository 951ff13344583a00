/** Sends requests to a licence server; responses are verified by their signature. */
export interface LicenceServer {
  /** Returns the parsed body of a 2xx response. @throws LicenceServerError */
  call(path: 'activate' | 'heartbeat' | 'deactivate', body: Record<string, unknown>): Promise<Record<string, unknown>>;
  keys(): Promise<unknown[]>;
}

/** There was no response, or none that could be read. */
export class LicenceServerError extends Error {
  override readonly name = 'LicenceServerError';
}

const timeout = 10_000;
const maxBytes = 256 * 1024;
const licensingPath = '/api/licensing';

/**
 * Returns the client of a configured server. It follows no redirects, so that the activation key is only sent to the configured URL.
 */
export function licenceServer(url: string): LicenceServer {
  const base = url.replace(/\/+$/, '');
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    try {
      const answer = await fetch(`${base}${licensingPath}/${path}`, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      });
      const text = await limited(answer);
      if (!answer.ok) throw new LicenceServerError(`the licence server responded with ${answer.status}`);
      return JSON.parse(text) as unknown;
    } catch (error) {
      if (error instanceof LicenceServerError) throw error;
      throw new LicenceServerError('the licence server did not respond', { cause: error });
    }
  };
  return {
    async call(path, body) {
      const value = await ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (typeof value !== 'object' || value === null)
        throw new LicenceServerError('the licence server did not respond with a JSON object');
      return value as Record<string, unknown>;
    },
    async keys() {
      const value = await ask('keys', {});
      const { data } = (value ?? {}) as { data?: unknown };
      return Array.isArray(data) ? data.slice(0, 20).map((row) => (row as { list?: unknown } | null)?.list) : [];
    },
  };
}

async function limited(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new LicenceServerError('the response of the licence server is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

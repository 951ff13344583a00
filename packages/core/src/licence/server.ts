/** Calls to a licence server; what comes back is judged by its signature. */
export interface LicenceServer {
  /** The parsed body of a 2xx answer. @throws ServerAway */
  call(path: 'activate' | 'heartbeat' | 'deactivate', body: Record<string, unknown>): Promise<Record<string, unknown>>;
  keys(): Promise<unknown[]>;
}

/** No answer that could be judged. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway';
}

const timeout = 10_000;
const maxBytes = 256 * 1024;
const licensingPath = '/api/licensing';

/**
 * The server at an address of the installation's configuration. No redirects: the key goes to the address that was written down, or
 * nowhere.
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
      if (!answer.ok) throw new ServerAway(`the licence server answered ${answer.status}`);
      return JSON.parse(text) as unknown;
    } catch (error) {
      if (error instanceof ServerAway) throw error;
      throw new ServerAway('the licence server did not answer', { cause: error });
    }
  };
  return {
    async call(path, body) {
      const value = await ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (typeof value !== 'object' || value === null) throw new ServerAway('the licence server answered something else');
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
    if (size > maxBytes) throw new ServerAway('the licence server answered too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

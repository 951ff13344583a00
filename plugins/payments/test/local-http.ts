import { type GuardedHttp, problem } from '@storeloom/plugin-sdk';

/** The kernel's guarded http service for tests without a kernel. */
export const localHttp: GuardedHttp = {
  check: async () => undefined,
  async fetch(url, { method = 'GET', headers = {}, body, timeoutMs = 5000 } = {}) {
    try {
      const response = await fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Buffer.from(await response.arrayBuffer()),
      };
    } catch {
      throw problem('unavailable', { detail: 'no response' });
    }
  },
};

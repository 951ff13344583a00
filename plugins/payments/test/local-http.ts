import { type GuardedHttp, problem } from '@storeloom/plugin-sdk';

/** The kernel's guarded http, for tests that talk to loopback without a kernel. */
export const localHttp: GuardedHttp = {
  check: async () => undefined,
  async fetch(url, { method = 'GET', headers = {}, body, timeoutMs = 5000 } = {}) {
    try {
      const answer = await fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      };
    } catch {
      throw problem('unavailable', { detail: 'no answer' });
    }
  },
};

import type { TestResponse } from '../shop/client.ts';

/** The body of an answer that must have this status; else an error with what came instead. */
export async function must<B>(answer: Promise<Pick<TestResponse<B>, 'status' | 'body' | 'text'>>, status: number): Promise<B> {
  const got = await answer;
  if (got.status !== status) throw new Error(`${got.status} instead of ${status}: ${got.text}`);
  return got.body;
}

/**
 * Repeats a request that waited too long for a row: 409 `conflict`. With `busy`, if there are more requests than connections, it also repeats
 * 503 `unavailable`, for five seconds; in other tests a 503 is an error.
 */
export async function patiently<T extends { status: number; body: { code?: unknown } }>(
  call: () => Promise<T>,
  { busy = false }: { busy?: boolean } = {},
): Promise<T> {
  for (let away = 0; ; ) {
    const answer = await call();
    if (busy && answer.status === 503 && answer.body.code === 'unavailable' && away++ < 20)
      await new Promise((resolve) => setTimeout(resolve, 250));
    else if (answer.status !== 409 || answer.body.code !== 'conflict') return answer;
  }
}

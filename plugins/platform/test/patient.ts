import type { TestResponse } from '@storeloom/plugin-sdk/testing';

/** As a client does that is told to come back: on a busy machine, fifty at once may wait longer for each other than a request may. */
export async function patient<B>(call: () => Promise<TestResponse<B>>): Promise<TestResponse<B>> {
  for (let i = 0; i < 20; i++) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return call();
}

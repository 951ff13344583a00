import { type Ctx, http, Problem } from '@storeloom/plugin-sdk';
import type { Due, Round } from './dispatch.ts';
import type { Received } from './schedule.ts';
import { signature } from './signature.ts';

const timeoutMs = 15_000;
const maxAnswer = 1024 * 1024;
const excerptBytes = 1024;

export interface Answer extends Received {
  delivery: Due;
  durationMs: number;
  error: string | null;
  responseExcerpt: string | null;
}

/** One attempt: a new time and signature, the same id and body. What the receiver does wrong is an answer, not an error. */
export async function send(ctx: Ctx, { url, secrets }: Round, delivery: Due): Promise<Answer> {
  const { eventId, body } = delivery;
  const timestamp = Math.floor(ctx.clock.ms() / 1000);
  const started = performance.now();
  const passed = (): number => Math.round(performance.now() - started);
  try {
    const answer = await ctx.require(http).fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Storeloom-Webhooks/1',
        'webhook-id': eventId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature(secrets, eventId, timestamp, body),
      },
      body,
      timeoutMs,
      maxBytes: maxAnswer,
    });
    const text = answer.body.subarray(0, excerptBytes).toString('utf8').replaceAll('\0', '');
    return {
      delivery,
      statusCode: answer.status,
      retryAfter: answer.headers['retry-after'],
      durationMs: passed(),
      error: null,
      responseExcerpt: text === '' ? null : text.slice(0, excerptBytes),
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { reason, errors } = error.extra;
    const why = typeof reason === 'string' ? reason : (errors?.[0]?.code ?? error.code);
    return { delivery, statusCode: null, durationMs: passed(), error: why, responseExcerpt: null };
  }
}

import { type Clock, type InboundReply, Problem } from '@storeloom/plugin-sdk';
import { type ReceiveOptions, type Receiver, receive } from '../inbound/receive.ts';
import type { PipelineHost } from './pipeline-host.ts';
import type { ResponseParts } from './response.ts';

/** Passes a provider's notification to the receiver of its route. */
export function createWebhookResponse(
  receivers: readonly Receiver[],
  clock: Clock,
  receiving: ReceiveOptions,
): PipelineHost['webhook'] {
  return async (route, input) => {
    const receiver = receivers.find((entry) => entry.path === route.path);
    if (!receiver) throw new Problem('not_found');
    const reply = await receive(receiving, receiver, {
      request: { ...input, now: Math.floor(clock.ms() / 1000) },
      method: route.route.method === 'GET' ? 'GET' : 'POST',
      requestId: input.requestId,
      signal: new AbortController().signal,
    });
    return responseTo(reply);
  };
}

/** Strings are sent unchanged, other bodies as JSON. */
function responseTo({ status, body, type }: InboundReply): ResponseParts {
  if (body === undefined) return { status, headers: {}, body: null };
  return typeof body === 'string'
    ? { status, headers: { 'content-type': type ?? 'text/plain; charset=utf-8' }, body }
    : { status, headers: { 'content-type': type ?? 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}

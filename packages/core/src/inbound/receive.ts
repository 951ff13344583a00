import { type Inbound, type InboundReply, type InboundRequest, Problem, problem, sql, uuidv7 } from '@storeloom/plugin-sdk';
import type { Units } from '../context/units.ts';
import type { Sender } from '../jobs/sender.ts';

export interface ReceiveOptions {
  units: Units;
  sender: Sender;
  /** Jobs were committed. */
  wake(): void;
  /** Counts a rejected notification; nothing else of it is stored. */
  onRefused?(provider: string): void;
}

/** A receiver of a plugin. `path` is its key in `webhooks`, by which the job finds it. */
export interface Receiver {
  plugin: string;
  path: string;
  inbound: Inbound;
}

export interface Delivery {
  request: InboundRequest;
  method: 'GET' | 'POST';
  requestId: string;
  signal: AbortSignal;
}

const maxEventId = 300;
/** Credentials, which are not stored: the signature is checked before. */
const secretHeaders = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key']);

/**
 * Receives a provider's notification: tenant → signature → event id → a row and the job that handles it, in one transaction → 2xx. A
 * repeated notification gets the same response and has no effect. An unknown account is answered like an invalid signature.
 *
 * `verify`, `challenge` and `eventId` run without a transaction; those that need rows open one with `ctx.transaction`.
 * @throws Problem `signature_invalid`, `malformed_request`, `not_found` (the plugin is off), or what the plugin throws
 *   (`provider_not_configured`)
 */
export async function receive(
  { units, sender, wake, onRefused }: ReceiveOptions,
  { plugin, path, inbound }: Receiver,
  delivery: Delivery,
): Promise<InboundReply> {
  const { request, requestId, signal } = delivery;
  const actor = { type: 'provider', provider: inbound.provider } as const;
  const work = { actor, requestId, signal, ip: request.ip };
  const refuse = (): Problem => {
    onRefused?.(inbound.provider);
    return problem('signature_invalid');
  };

  const lookup = units.platformScope(work);
  const tenantId = await units.transaction(lookup, () => inbound.tenant(units.platformContext(plugin, lookup), request), {
    readOnly: true,
  });
  const scope = tenantId === undefined ? undefined : await units.scope(tenantId, work);
  if (!scope || tenantId === undefined) throw refuse();
  if (!scope.on(plugin)) throw problem('not_found');
  const ctx = units.context(plugin, scope);

  if (delivery.method === 'GET' && inbound.method !== 'GET') {
    if (!inbound.challenge) throw problem('method_not_allowed');
    return inbound.challenge(ctx, request);
  }
  if (!(await inbound.verify(ctx, request))) throw refuse();

  const eventId = eventIdOf(() => inbound.eventId(ctx, request));
  const raw = textOf(request.raw);
  const isNew = await units.transaction(scope, async (db) => {
    const id = uuidv7();
    const inserted = await db.run(sql`
      insert into core_inbound (tenant_id, id, provider, event_id, raw, headers, created_at)
      values (${tenantId}, ${id}, ${inbound.provider}, ${eventId}, ${raw}, ${JSON.stringify(headersOf(request))}::jsonb, now())
      on conflict (tenant_id, provider, event_id) do nothing`);
    if (inserted === 0) return false;
    await sender.send(db, { queue: 'inbound', plugin, name: inbound.provider, tenantId, requestId, data: { id, path } });
    return true;
  });
  if (isNew) wake();
  return (await inbound.ack?.(request, ctx)) ?? { status: 200, body: { received: true } };
}

/** Any error while parsing the body is a `malformed_request` of the sender. */
function eventIdOf(read: () => string): string {
  let eventId: unknown;
  try {
    eventId = read();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw problem('malformed_request', { detail: 'The body has no event id.' });
  }
  if (typeof eventId !== 'string' || eventId === '' || eventId.length > maxEventId || eventId.includes('\0'))
    throw problem('malformed_request', { detail: 'The body has no event id.' });
  return eventId;
}

/** Decodes UTF-8, otherwise Latin-1, so that no byte of an old form encoding is lost. */
function textOf(raw: Buffer): string {
  if (raw.includes(0)) throw problem('malformed_request', { detail: 'The body contains a NUL byte.' });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return raw.toString('latin1');
  }
}

function headersOf(request: InboundRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || secretHeaders.has(name)) continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

import { type Ctx, type DomainEvent, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { matches } from './catalogue.ts';
import { bodyOf } from './payload.ts';
import { wake } from './wake.ts';

/** One delivery for each endpoint, once an event. To those that are off nothing is due until they are on again. */
async function queue(ctx: Ctx, endpoints: readonly { id: string; active: boolean }[], event: DomainEvent): Promise<void> {
  const now = ctx.clock.now();
  const next = endpoints.map(({ active }) => (active ? now : null));
  await ctx.db.run(sql`
    insert into webhooks_delivery (tenant_id, id, endpoint_id, event_id, type, body, request_id, status, next_at, created_at, updated_at)
    select ${ctx.tenant.id}, x.id, x.endpoint_id, ${event.id}, ${event.type}, ${bodyOf(event)}, ${ctx.requestId}, 'pending', x.next_at, ${now}, ${now}
    from unnest(${endpoints.map(() => uuidv7(ctx.clock.ms()))}::uuid[], ${endpoints.map(({ id }) => id)}::uuid[], ${next}::timestamptz[]) as x (id, endpoint_id, next_at)
    on conflict (tenant_id, endpoint_id, event_id) do nothing`);
  for (const { id, active } of endpoints) if (active) await wake(ctx, id);
}

/** Only what some endpoint asks for is kept. Whether the endpoint is on when it happens is looked at when it is handed out. */
export async function wants(ctx: Ctx, types: readonly string[]): Promise<readonly string[]> {
  const patterns = await ctx.remember('patterns', () =>
    ctx.db.rows<{ pattern: string }>(
      sql`select distinct jsonb_array_elements_text(events) as pattern from webhooks_endpoint where tenant_id = ${ctx.tenant.id}`,
    ),
  );
  return types.filter((type) => patterns.some(({ pattern }) => matches(pattern, type)));
}

/** A public event of any plugin: it is for every endpoint that asked for it and was on when it happened. */
export async function fanOut(ctx: Ctx, event: DomainEvent): Promise<void> {
  // Held, so that none goes while its delivery is written.
  const endpoints = await ctx.db.rows<{ id: string; active: boolean; events: string[] }>(
    sql`select id, active, events from webhooks_endpoint where tenant_id = ${ctx.tenant.id} and (active or off_since >= ${event.at}) order by id for key share`,
  );
  const wanted = endpoints.filter(({ events }) => events.some((pattern) => matches(pattern, event.type)));
  if (wanted.length > 0) await queue(ctx, wanted, event);
}

/** Queues a test event for a new endpoint. */
export function ping(ctx: Ctx, endpoint: { id: string; active: boolean }): Promise<void> {
  return queue(ctx, [endpoint], {
    id: uuidv7(ctx.clock.ms()),
    type: 'ping',
    at: ctx.clock.now(),
    aggregate: endpoint.id,
    sequence: 1,
    data: { id: endpoint.id },
  });
}

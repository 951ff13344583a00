import { type Ctx, f, file, problem, type RawBuilder, route, sql } from '@storeloom/plugin-sdk';
import { CarrierError } from '../carrier/adapter.ts';
import { adapterOf, callCarrier, callWith, carrierProblem, requireCall } from '../carrier/call.ts';
import { carrierRow } from '../carrier/carrier.ts';
import { settings } from '../settings.ts';
import { type AwbRow, awb, awbOfOrder, eventsOf, setStatus } from './awb.ts';
import { applyEvents } from './event.ts';
import { awbStatuses, finalStatuses } from './states.ts';

const params = { awbNumber: f.text({ max: 60 }) };
const extensions: Record<string, string> = { 'application/pdf': 'pdf' };

export const label = route(
  'GET',
  '/orders/{id}/awb/{awbNumber}/label',
  {
    permission: 'shipping.awb.read',
    entity: 'shipping.awb',
    summary: "Download the carrier's label",
    params,
    produces: 'application/pdf',
    transaction: 'none',
    writes: true,
    problems: ['invalid_transition', 'carrier_rejected', 'provider_not_configured', 'unavailable'],
  },
  async (ctx, req) => {
    const { row, call } = await ctx.transaction(
      async (ctx) => {
        const row = await awbOfOrder(ctx, req.params.id as string, req.params.awbNumber as string);
        return { row, call: await requireCall(ctx, row.provider) };
      },
      { readOnly: true },
    );
    if (row.status === 'cancelled')
      throw problem('invalid_transition', {
        detail: 'The AWB was cancelled.',
        from: 'cancelled',
        to: 'label_printed',
        allowed: [],
      });
    try {
      const printed = await callCarrier(ctx, row.provider, () => adapterOf(row.provider).label(call, row.awbNumber));
      if (row.status === 'created') await ctx.transaction((ctx) => markPrinted(ctx, row.id));
      return file(printed.content, {
        type: printed.type,
        name: `${row.awbNumber.replace(/[^\w.-]/g, '_')}.${extensions[printed.type] ?? 'bin'}`,
      });
    } catch (error) {
      throw carrierProblem(error);
    }
  },
);
async function markPrinted(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.rows(awb).get(id, { lock: true });
  if (row?.status === 'created') await setStatus(ctx, row, 'label_printed', null);
}

/**
 * Updates the tracking events of a parcel from its carrier, outside a transaction. A failure is logged and recorded as the carrier's
 * health. False if the carrier is unavailable.
 */
export async function trackAtCarrier(ctx: Ctx, row: AwbRow): Promise<boolean> {
  try {
    await fetchEvents(ctx, row);
    return true;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    ctx.log.warn({ plugin: 'shipping', provider: row.provider, err: error }, 'carrier tracking failed');
    return error.kind !== 'unavailable';
  } finally {
    // Also after a failure, so that the next job run continues with the other parcels.
    await ctx.transaction((ctx) => updateTracking(ctx, row, sql`track_tried_at = ${ctx.clock.now()}`));
  }
}
function updateTracking(ctx: Ctx, { id }: AwbRow, change: RawBuilder<unknown>): Promise<number> {
  return ctx.db.run(sql`update shipping_awb set ${change} where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}
async function fetchEvents(ctx: Ctx, row: AwbRow): Promise<void> {
  const { provider, awbNumber } = row;
  const call = await ctx.transaction(
    async (ctx) => callWith(ctx, await carrierRow(ctx, provider), ctx.settings(settings).carrierTimeoutMs),
    { readOnly: true },
  );
  if (!call) return;
  const events = await callCarrier(ctx, provider, () => adapterOf(provider).track(call, awbNumber));
  await ctx.transaction(async (ctx) => {
    await applyEvents(ctx, provider, awbNumber, events);
    await updateTracking(ctx, row, sql`tracked_at = ${ctx.clock.now()}`);
  });
}

function isStale(ctx: Ctx, row: AwbRow): boolean {
  if (finalStatuses.includes(row.status)) return false;
  const age = ctx.clock.ms() - Date.parse(row.trackedAt ?? '1970-01-01T00:00:00Z');
  return age > ctx.settings(settings).trackEveryMinutes * 60_000;
}

export const tracking = route(
  'GET',
  '/orders/{id}/awb/{awbNumber}/tracking',
  {
    permission: 'shipping.awb.read',
    entity: 'shipping.awb',
    summary: 'Get the tracking events of a parcel',
    params,
    transaction: 'none',
    writes: true,
    response: {
      awbNumber: f.text(),
      status: f.oneOf(awbStatuses),
      events: f.list(
        f.object({
          code: f.text(),
          status: f.oneOf(awbStatuses),
          at: f.instant(),
          location: f.text().optional(),
          description: f.text({ max: 500 }).optional(),
        }),
      ),
    },
  },
  async (ctx, req) => {
    const read = (ctx: Ctx) => awbOfOrder(ctx, req.params.id as string, req.params.awbNumber as string);
    const row = await ctx.transaction(read, { readOnly: true });
    if (isStale(ctx, row)) await trackAtCarrier(ctx, row);
    return ctx.transaction(
      async (ctx) => {
        const { id, awbNumber, status } = await read(ctx);
        return { awbNumber, status, events: (await eventsOf(ctx, [id])).get(id) ?? [] };
      },
      { readOnly: true },
    );
  },
);

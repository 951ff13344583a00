import {
  type cancelCommit,
  type editCommit,
  type fulfillmentCancelCommit,
  type refundCommit,
  type refundUndoCommit,
  type settleCommit,
  type shipCommit,
  stock,
} from '@storeloom/commerce';
import { type Ctx, definePlugin, migrations, problem, provide, sql, token, uuidv7 } from '@storeloom/plugin-sdk';

/** Records stock requests. The reason `late` fails a settlement, `sold out` an edit. */
async function see(ctx: Ctx, hook: string, input: object): Promise<void> {
  await ctx.db.run(sql`insert into inventory_seen (tenant_id, id, hook, input, created_at)
    values (${ctx.tenant.id}, ${uuidv7()}, ${hook}, ${JSON.stringify(input)}::jsonb, ${ctx.clock.now()})`);
}
const named = <T extends { id: string }>(id: string): T => token<T>(`orders:${id}.commit`);

export default definePlugin({
  name: 'inventory',
  migrations: migrations(`${new URL('.', import.meta.url).href}src/index.ts`, ['0001_inventory.sql']),
  provides: [
    provide(
      stock,
      (ctx) =>
        ({
          restock: async (orderId: string, items: object[], options: object) => {
            await see(ctx, 'restock', { order: { id: orderId }, items, options });
            return items.length;
          },
        }) as never,
    ),
  ],
  hooks(h) {
    const stage = { stage: 20 };
    h.on(
      named<typeof settleCommit>('settle'),
      async (ctx, input) => {
        await see(ctx, 'settle', input);
        if (input.order.lines.some((line) => line.title === 'late')) input.late = { impossible: true };
      },
      stage,
    );
    h.on(
      named<typeof editCommit>('edit'),
      async (ctx, input) => {
        await see(ctx, 'edit', input);
        if (input.changes.some((change) => change.delta > 100)) throw problem('insufficient_stock', { available: 100 });
      },
      stage,
    );
    h.on(named<typeof cancelCommit>('cancel'), (ctx, input) => see(ctx, 'cancel', input), stage);
    h.on(named<typeof shipCommit>('ship'), (ctx, input) => see(ctx, 'ship', input), stage);
    h.on(named<typeof refundCommit>('refund'), (ctx, input) => see(ctx, 'refund', input), stage);
    h.on(named<typeof refundUndoCommit>('refund-undo'), (ctx, input) => see(ctx, 'refund-undo', input), stage);
    h.on(
      named<typeof fulfillmentCancelCommit>('fulfillment-cancel'),
      (ctx, input) => see(ctx, 'fulfillment-cancel', input),
      stage,
    );
  },
  locales: { ro: { 'test.name': 'stoc' }, en: { 'test.name': 'stock' } },
});

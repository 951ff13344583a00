import { type Ctx, f, sql, table, uuidv7 } from '@storeloom/plugin-sdk';

/** A notification about an unknown payment: acknowledged and stored without effect. */
export const deadLetter = table(
  'dead-letter',
  {
    provider: f.text({ max: 40 }),
    eventId: f.text({ max: 300 }),
    eventType: f.text({ max: 100 }),
    providerRef: f.text({ max: 255 }).optional(),
    reason: f.text({ max: 100 }),
  },
  { uniques: [{ fields: ['provider', 'eventId'] }], appendOnly: true },
);

export async function storeDeadLetter(
  ctx: Ctx,
  letter: { provider: string; eventId: string; eventType: string; providerRef: string | null; reason: string },
): Promise<void> {
  ctx.log.warn({ ...letter }, 'Payment notification refers to an unknown payment');
  await ctx.transaction((ctx) =>
    ctx.db.run(sql`insert into payments_dead_letter (tenant_id, id, provider, event_id, event_type, provider_ref, reason, created_at)
      values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${letter.provider}, ${letter.eventId}, ${letter.eventType.slice(0, 100)}, ${letter.providerRef?.slice(0, 255) ?? null}, ${letter.reason}, ${ctx.clock.now()})
      on conflict (tenant_id, provider, event_id) do nothing`),
  );
}

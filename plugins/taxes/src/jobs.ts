import type { Ctx, Job, PlatformJob } from '@storeloom/plugin-sdk';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { limitEur, toEur } from './oss/limit.ts';
import { seedWarnings } from './oss/routes.ts';
import { lockYear, type OssEntry, ossEntry, ossYear, passLimit } from './oss/tables.ts';
import { purgeChecks } from './vat/check.ts';

/** At most so many entries a run; the rest waits for the next one. */
const batch = 1000;

/** Counts sales that had to wait for an exchange rate. */
async function countWaiting(ctx: Ctx): Promise<void> {
  const waiting = await ctx.rows(ossEntry).find({ eur: null }, { orderBy: ['saleYear', 'createdAt', 'id'], limit: batch });
  for (const year of [...new Set(waiting.map((entry) => entry.saleYear))].sort()) {
    const converted: { entry: OssEntry; eur: number }[] = [];
    for (const entry of waiting.filter(({ saleYear }) => saleYear === year)) {
      const eur = entry.supplyType === 'other' ? 0 : await toEur(ctx, entry.base.amount, entry.base.currency, entry.createdAt);
      if (eur !== null) converted.push({ entry, eur });
    }
    if (converted.length > 0) await addToYear(ctx, year, converted);
  }
}

async function addToYear(ctx: Ctx, year: number, converted: readonly { entry: OssEntry; eur: number }[]): Promise<void> {
  const row = await lockYear(ctx, year);
  let net = row.net.amount;
  let passedBy: string | null = null;
  for (const { entry, eur } of converted) {
    await ctx.rows(ossEntry).update(entry.id, { eur: { amount: eur, currency: 'EUR' } });
    net += eur;
    if (row.exceededAt === null && passedBy === null && net > limitEur(ctx)) passedBy = entry.orderId;
  }
  const passed = passedBy === null ? {} : await passLimit(ctx, row, net, passedBy);
  await ctx.rows(ossYear).update(row.id, { net: { amount: net, currency: 'EUR' }, ...passed });
}

export const daily: Job = {
  cron: '20 4 * * *',
  perTenant: true,
  async run(ctx) {
    await purgeChecks(ctx);
    await countWaiting(ctx);
  },
};

/** The operator hears of published rates that nobody has looked at for half a year. */
export const publishedRatesAge: PlatformJob = {
  cron: '0 5 * * 1',
  platform: true,
  async run(ctx) {
    for (const { message } of seedWarnings(civilDate(ctx.clock.now(), 'UTC'))) ctx.log.warn({ plugin: 'taxes' }, message);
  },
};

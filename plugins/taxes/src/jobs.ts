import type { Ctx, Job, PlatformJob } from '@storeloom/plugin-sdk';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { limitEur, toEur } from './oss/limit.ts';
import { outdatedRatesWarnings } from './oss/routes.ts';
import { lockYear, type OssEntry, ossEntry, ossYear, recordThresholdPassed } from './oss/tables.ts';
import { purgeChecks } from './vat/check.ts';

/** Maximum number of entries a run. */
const batch = 1000;

/** Counts sales that had no exchange rate when they were placed. */
async function countPendingSales(ctx: Ctx): Promise<void> {
  const pending = await ctx.rows(ossEntry).find({ eur: null }, { orderBy: ['saleYear', 'createdAt', 'id'], limit: batch });
  for (const year of [...new Set(pending.map((entry) => entry.saleYear))].sort()) {
    const converted: { entry: OssEntry; eur: number }[] = [];
    for (const entry of pending.filter(({ saleYear }) => saleYear === year)) {
      const eur = entry.supplyType === 'other' ? 0 : await toEur(ctx, entry.base.amount, entry.base.currency, entry.createdAt);
      if (eur !== null) converted.push({ entry, eur });
    }
    if (converted.length > 0) await addToYearTotal(ctx, year, converted);
  }
}

async function addToYearTotal(ctx: Ctx, year: number, converted: readonly { entry: OssEntry; eur: number }[]): Promise<void> {
  const row = await lockYear(ctx, year);
  let net = row.net.amount;
  let passedBy: string | null = null;
  for (const { entry, eur } of converted) {
    await ctx.rows(ossEntry).update(entry.id, { eur: { amount: eur, currency: 'EUR' } });
    net += eur;
    if (row.exceededAt === null && passedBy === null && net > limitEur(ctx)) passedBy = entry.orderId;
  }
  const threshold = passedBy === null ? {} : await recordThresholdPassed(ctx, row, net, passedBy);
  await ctx.rows(ossYear).update(row.id, { net: { amount: net, currency: 'EUR' }, ...threshold });
}

export const daily: Job = {
  cron: '20 4 * * *',
  perTenant: true,
  async run(ctx) {
    await purgeChecks(ctx);
    await countPendingSales(ctx);
  },
};

/** Warns the operator when the published rates are older than half a year. */
export const publishedRatesAge: PlatformJob = {
  cron: '0 5 * * 1',
  platform: true,
  async run(ctx) {
    for (const { message } of outdatedRatesWarnings(civilDate(ctx.clock.now(), 'UTC')))
      ctx.log.warn({ plugin: 'taxes' }, message);
  },
};

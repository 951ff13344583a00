import { type Ctx, pluginMetrics, sql, uuidv7 } from '@storeloom/plugin-sdk';
import type { Round } from './dispatch.ts';
import { outcomeOf, slow } from './schedule.ts';
import type { Answer } from './send.ts';
import { switchOff } from './switch-off.ts';

/** After so long a time of nothing but failure an endpoint is switched off. */
const patienceMs = 5 * 86_400_000;

interface EndpointHealth {
  active: boolean;
  mine: boolean;
  succeededAt: string | null;
  failingSince: string | null;
}

/** Writes down what came back, and what follows from it. */
export async function record(ctx: Ctx, round: Round, answers: readonly Answer[]): Promise<void> {
  const { endpointId, runner, url } = round;
  const now = ctx.clock.ms();
  const at = await ctx.db.first<EndpointHealth>(sql`
    select active, coalesce(runner = ${runner}, false) as mine, succeeded_at as "succeededAt", failing_since as "failingSince"
    from webhooks_endpoint where tenant_id = ${ctx.tenant.id} and id = ${endpointId} for no key update`);
  // Deleted meanwhile, its log with it.
  if (!at) return;
  const after = { ...at, quiet: 0, gone: false };
  for (const answer of answers) {
    const outcome = outcomeOf(answer, answer.delivery.step, now, Math.random());
    const succeeded = outcome.status === 'succeeded';
    // Who was too slow and lost the endpoint to another runner only tells of a success: the other one has the failure too.
    if (!at.mine && !succeeded) continue;
    const next = outcome.wait === null || outcome.gone || !at.active ? null : new Date(now + outcome.wait * 1000).toISOString();
    await note(ctx, answer, outcome.status, next);
    ctx.onCommit(() => ctx.require(pluginMetrics).webhookDelivery(outcome.status));
    if (succeeded) {
      after.succeededAt = new Date(now).toISOString();
      after.failingSince = null;
    } else after.failingSince ??= new Date(now).toISOString();
    after.gone ||= outcome.gone;
    after.quiet = Math.max(after.quiet, outcome.quiet);
  }
  const isSlow = answers.some(({ durationMs }) => durationMs >= slow.fromMs);
  // The version is raised where what people see has changed.
  const turned =
    (at.failingSince === null) !== (after.failingSince === null) || (at.succeededAt === null) !== (after.succeededAt === null);
  const quietUntil = after.quiet > 0 ? new Date(now + after.quiet * 1000).toISOString() : null;
  await ctx.db.run(sql`update webhooks_endpoint set succeeded_at = ${after.succeededAt}, failing_since = ${after.failingSince}
      ${at.mine ? sql`, quiet_until = ${quietUntil}, slow = ${isSlow}` : sql``}${turned ? sql`, version = version + 1, updated_at = ${ctx.clock.now()}` : sql``}
    where tenant_id = ${ctx.tenant.id} and id = ${endpointId}`);
  if (!at.active) return;
  if (after.gone) await switchOff(ctx, endpointId, url, 'gone');
  else if (after.failingSince !== null && now - Date.parse(after.failingSince) >= patienceMs)
    await switchOff(ctx, endpointId, url, 'failing');
}

async function note(ctx: Ctx, answer: Answer, status: string, nextAt: string | null): Promise<void> {
  const { delivery, statusCode, durationMs, error, responseExcerpt } = answer;
  const now = ctx.clock.now();
  const written = await ctx.db.first<{ number: number }>(sql`
    update webhooks_delivery set status = ${status}, attempt = attempt + 1, step = step + 1, status_code = ${statusCode}, duration_ms = ${durationMs},
      error = ${error}, response_excerpt = ${responseExcerpt}, next_at = ${nextAt}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and id = ${delivery.id} and status in ('pending', 'retrying') returning attempt as number`);
  if (!written) return;
  await ctx.db.run(sql`
    insert into webhooks_attempt (tenant_id, id, delivery_id, number, status_code, duration_ms, error, response_excerpt, created_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${delivery.id}, ${written.number}, ${statusCode}, ${durationMs}, ${error}, ${responseExcerpt}, ${now})`);
}

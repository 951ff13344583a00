import { randomUUID } from 'node:crypto';
import { type Ctx, type Job, type JobData, sql } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import type { PreviousSecret } from './endpoint.ts';
import type { queued } from './queued.ts';
import { record } from './record.ts';
import { slow } from './schedule.ts';
import { send } from './send.ts';
import { wake } from './wake.ts';

/** Longer than one round takes. */
const leaseMs = 30_000;
/** Then others get their turn. */
const budgetMs = 30_000;
/** Simultaneous deliveries to a healthy receiver; others get one at a time. */
const batch = 10;

interface EndpointState {
  url: string;
  active: boolean;
  secret: string;
  previous: PreviousSecret[];
  healthy: boolean;
  slow: boolean;
  quietUntil: string | null;
  runner: string | null;
  runnerUntil: string | null;
}
export interface Due {
  id: string;
  eventId: string;
  body: string;
  step: number;
}
export interface Round {
  endpointId: string;
  runner: string;
  url: string;
  /** Newest first. */
  secrets: string[];
  due: Due[];
}

/**
 * Sends the due deliveries of an endpoint. Each endpoint has its own runner, so that a slow receiver delays no other. A tenant has few job
 * slots, so its slow endpoints take turns: one of them runs at a time, and for one round. Requests are made outside
 * transactions; after a crash the next runner sends the due deliveries with the same ids.
 */
export const dispatch: Job<JobData<typeof queued.dispatch>> = {
  transaction: 'none',
  retryLimit: 10,
  async run(ctx, { endpointId }) {
    const runner = randomUUID();
    const end = performance.now() + budgetMs;
    for (;;) {
      const over = ctx.signal.aborted || performance.now() > end;
      const round = await ctx.transaction((inside) => take(inside, endpointId, runner, over));
      if (!round) return;
      const answers = await Promise.all(round.due.map((one) => send(ctx, round, one)));
      await ctx.transaction((inside) => record(inside, round, answers));
    }
  },
};

/** The next deliveries, the endpoint being held for this runner. Undefined: there is nothing to do here now. */
async function take(ctx: Ctx, endpointId: string, runner: string, over: boolean): Promise<Round | undefined> {
  const now = ctx.clock.ms();
  const at = await ctx.db.first<EndpointState>(sql`
    select url, active, secret, previous_secrets as previous, succeeded_at is not null and failing_since is null as healthy, slow,
      quiet_until as "quietUntil", runner, runner_until as "runnerUntil"
    from webhooks_endpoint where tenant_id = ${ctx.tenant.id} and id = ${endpointId} for no key update`);
  if (!at) return undefined;
  if (at.runner !== null && at.runner !== runner && at.runnerUntil !== null && Date.parse(at.runnerUntil) > now) {
    // The running job checks again before it ends. If it has died, another one starts after its time limit.
    await wake(ctx, endpointId, { key: 'held', seconds: (Date.parse(at.runnerUntil) - now) / 1000 });
    return undefined;
  }
  const quiet = at.quietUntil === null ? 0 : Date.parse(at.quietUntil) - now;
  // A round of a slow endpoint is its whole turn.
  const hadTurn = at.slow && at.runner === runner;
  const due = at.active && !hadTurn && !over && quiet <= 0 ? await dueNow(ctx, endpointId, at.healthy ? batch : 1) : [];
  if (due.length === 0) {
    await hold(ctx, endpointId, null);
    if (at.active) await wakeForNext(ctx, endpointId, Math.max(quiet, hadTurn ? slow.pauseMs : 0));
    return undefined;
  }
  if (at.slow && (await otherSlowRuns(ctx, endpointId))) {
    await wake(ctx, endpointId, { key: 'turn', seconds: slow.askMs / 1000 });
    return undefined;
  }
  await hold(ctx, endpointId, runner);
  const previous = at.previous.filter(({ until }) => Date.parse(until) > now);
  return {
    endpointId,
    runner,
    url: at.url,
    secrets: [at.secret, ...previous.map(({ secret }) => secret)].map((one) => ctx.unseal(one)),
    due,
  };
}

/** Whether another slow endpoint of the tenant has the turn. Endpoints that ask at the same moment wait for each other's answer. */
async function otherSlowRuns(ctx: Ctx, endpointId: string): Promise<boolean> {
  await lockKeys(ctx, 'slow endpoints');
  const other = await ctx.db.first(sql`
    select 1 from webhooks_endpoint where tenant_id = ${ctx.tenant.id} and id <> ${endpointId} and slow and runner is not null
      and runner_until > ${ctx.clock.now()} limit 1`);
  return other !== undefined;
}

function dueNow(ctx: Ctx, endpointId: string, limit: number): Promise<Due[]> {
  return ctx.db.rows<Due>(sql`
    select id, event_id as "eventId", body, step from webhooks_delivery
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} and status in ('pending', 'retrying') and next_at <= ${ctx.clock.now()}
    order by next_at, id limit ${limit}`);
}

async function hold(ctx: Ctx, endpointId: string, runner: string | null): Promise<void> {
  const until = runner === null ? null : new Date(ctx.clock.ms() + leaseMs).toISOString();
  await ctx.db.run(sql`update webhooks_endpoint set runner = ${runner}, runner_until = ${until}
    where tenant_id = ${ctx.tenant.id} and id = ${endpointId}`);
}

async function wakeForNext(ctx: Ctx, endpointId: string, quietMs: number): Promise<void> {
  const next = await ctx.db.first<{ at: string | null }>(sql`
    select min(next_at) as at from webhooks_delivery
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} and status in ('pending', 'retrying')`);
  if (!next?.at) return;
  const wait = Math.max(Date.parse(next.at) - ctx.clock.ms(), quietMs);
  await wake(ctx, endpointId, { key: new Date(ctx.clock.ms() + wait).toISOString(), seconds: wait / 1000 });
}

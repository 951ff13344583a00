import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { QueueName } from './queues.ts';
import { completed, type JobData } from './sender.ts';

type Claimed = JobWithMetadata<JobData>;

export interface CrewOptions {
  boss: Pick<PgBoss, 'fetch' | 'complete' | 'fail' | 'touch'>;
  queue: QueueName;
  /** Simultaneous jobs. One tenant gets at most all but one of them. */
  concurrency: number;
  /** Interval at which an idle crew looks for jobs of other processes. */
  pollSeconds: number;
  heartbeatSeconds: number;
  /** Runs a job. Returns `completed` if it was completed inside; an error makes the job be retried. */
  work(job: Claimed, signal: AbortSignal): Promise<unknown>;
  /** Called with errors of the queue itself: a claim, heartbeat or completion that failed. */
  failed(error: Error): void;
}

interface Running {
  readonly job: Claimed;
  readonly controller: AbortController;
  /** Set once the job's failure is recorded, while its handler may still run. */
  isSettled: boolean;
}

/** Stands for any tenant. */
const anyTenant = '';

/**
 * The workers of one queue in this process. One loop claims for all of them: as many jobs as there are free slots, when it is woken, when
 * there may be more, or when the polling interval is over.
 */
export class Crew {
  private readonly options: CrewOptions;
  /** Jobs that one tenant may run at the same time. */
  private readonly share: number;
  private readonly running = new Set<Running>();
  private readonly heartbeat: NodeJS.Timeout;
  private timer: NodeJS.Timeout | undefined;
  private isClaiming = false;
  /** Tenants that may have jobs to claim. */
  private candidates = new Set<string>();
  private pollAt = 0;
  private isStopping = false;
  /** True after the deadline of `stop`: jobs that are still running are given up. */
  private hasEnded = false;
  private idle = Promise.withResolvers<void>();

  constructor(options: CrewOptions) {
    this.options = options;
    this.share = Math.max(1, options.concurrency - 1);
    this.heartbeat = setInterval(() => void this.touch(), (options.heartbeatSeconds * 1000) / 2);
    this.wake();
  }

  /** Claims now. `tenantId`: the tenant with new jobs; without it, any tenant can have some. */
  wake(tenantId: string = anyTenant): void {
    this.candidates.add(tenantId);
    this.claimSoon();
  }

  /** Takes no more jobs, waits `seconds` for the running ones, and returns the others to the queue. */
  async stop(seconds: number): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    this.settleIdle();
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, seconds * 1000);
    await Promise.race([this.idle.promise, over.promise]);
    clearTimeout(timer);
    clearInterval(this.heartbeat);
    this.hasEnded = true;
    const reason = new Error('the process is stopping');
    await Promise.all([...this.running].map((each) => this.giveUp(each, reason)));
  }

  private settleIdle(): void {
    if (this.isStopping && !this.isClaiming && this.running.size === 0) this.idle.resolve();
  }

  private claimSoon(): void {
    if (this.isStopping || this.isClaiming) return;
    clearTimeout(this.timer);
    void this.claim();
  }

  private async claim(): Promise<void> {
    this.isClaiming = true;
    try {
      await this.claimAll();
    } catch (error) {
      this.options.failed(error as Error);
    } finally {
      this.isClaiming = false;
      this.settleIdle();
    }
    if (this.isStopping) return;
    // A job of another process, or one whose delay is over.
    this.timer = setTimeout(() => this.wake(), this.options.pollSeconds * 1000);
    // Slots that became free, or jobs that were sent, while the claim ended.
    if (this.canClaim) this.claimSoon();
  }

  private get free(): number {
    return this.options.concurrency - this.running.size;
  }

  /** True if there is a free slot, and a tenant that may take it. */
  private get canClaim(): boolean {
    const full = this.fullTenants();
    return this.free > 0 && [...this.candidates].some((tenantId) => !full.includes(tenantId));
  }

  /** Claims until the slots are full or the queue is empty. */
  private async claimAll(): Promise<void> {
    if (performance.now() >= this.pollAt) {
      this.pollAt = performance.now() + this.options.pollSeconds * 1000;
      this.candidates.add(anyTenant);
    }
    while (this.canClaim && !this.isStopping) {
      const full = this.fullTenants();
      const asked = this.candidates;
      this.candidates = new Set();
      // All slots but one may go to one tenant.
      const limit = Math.max(1, this.free - 1);
      const jobs = await this.options.boss.fetch<JobData>(this.options.queue, {
        batchSize: limit,
        includeMetadata: true,
        ...(full.length === 0 ? {} : { ignoreGroups: full }),
      });
      // Claimed while the process stopped: the supervisor returns them.
      if (this.hasEnded) return;
      const left = jobs.length === limit ? asked : full.filter((tenantId) => asked.has(tenantId) || asked.has(anyTenant));
      for (const tenantId of left) this.candidates.add(tenantId);
      for (const job of jobs) void this.run(job);
    }
  }

  private fullTenants(): string[] {
    if (this.free !== 1) return [];
    const counts = new Map<string, number>();
    for (const { job } of this.running) if (job.groupId) counts.set(job.groupId, (counts.get(job.groupId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= this.share).map(([tenant]) => tenant);
  }

  private async run(job: Claimed): Promise<void> {
    const each: Running = { job, controller: new AbortController(), isSettled: false };
    this.running.add(each);
    const expiry = setTimeout(() => {
      void this.giveUp(each, new Error(`the job took longer than ${job.expireInSeconds} s`));
    }, job.expireInSeconds * 1000);
    try {
      const result = await this.options.work(job, each.controller.signal);
      if (result !== completed && !each.isSettled) await this.complete(each);
    } catch (error) {
      await this.fail(each, error as Error);
    } finally {
      clearTimeout(expiry);
      this.running.delete(each);
      this.settleIdle();
      if (this.candidates.size > 0) this.claimSoon();
    }
  }

  private async complete({ job }: Running): Promise<void> {
    const { id, retryCount } = job;
    try {
      // A claim that was lost belongs to another attempt: nothing is completed then.
      await this.options.boss.complete(this.options.queue, { id, retryCount });
    } catch (error) {
      this.options.failed(error as Error);
      throw new Error('the job could not be completed');
    }
  }

  private async fail(each: Running, error: Error): Promise<void> {
    if (each.isSettled) return;
    each.isSettled = true;
    const { id, retryCount } = each.job;
    try {
      await this.options.boss.fail(this.options.queue, { id, retryCount }, error);
    } catch (refused) {
      // The supervisor retries the job once its heartbeat is missed.
      this.options.failed(refused as Error);
    }
  }

  /** Returns the job to the queue while its handler still runs, and aborts the handler. */
  private async giveUp(each: Running, reason: Error): Promise<void> {
    await this.fail(each, reason);
    each.controller.abort(reason);
  }

  /** Shows that the jobs are alive, and aborts those whose claim was lost. */
  private async touch(): Promise<void> {
    const held = [...this.running].filter(({ isSettled }) => !isSettled);
    if (held.length === 0) return;
    try {
      const attempts = held.map(({ job: { id, retryCount } }) => ({ id, retryCount }));
      const { settled = [] }: { settled?: string[] } = await this.options.boss.touch(this.options.queue, attempts);
      const alive = new Set(settled);
      for (const each of held)
        if (!alive.has(each.job.id)) each.controller.abort(new Error(`another attempt has claimed the job ${each.job.id}`));
    } catch (error) {
      this.options.failed(error as Error);
    }
  }
}

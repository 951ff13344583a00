import { AsyncLocalStorage } from 'node:async_hooks';
import { Problem } from '@storeloom/plugin-sdk';
import { isInBackground } from './background-work.ts';
import { Contention } from './contention.ts';

interface Waiter {
  start(): void;
}
/** Waiting units of work of a tenant. */
interface Line {
  readonly requests: Waiter[];
  readonly jobs: Waiter[];
}
/** Connections that a tenant holds. */
interface Held {
  all: number;
  jobs: number;
}

/** Tenant whose connection the running unit of work holds. */
const holder = new AsyncLocalStorage<string>();

/** Connections of a tenant while others compete for a busy process: one event loop makes use of hardly more. */
const contendedShare = 2;

/**
 * Shares the connections of the pool among tenants. A tenant holds at most two thirds of them, two while the process is busy with other
 * tenants too, and one connection is left for work without a tenant (health, sign-in, platform transactions inside a tenant's). Tenants that
 * wait are served in turn, however many requests each has.
 *
 * Jobs hold at most half of their tenant's share, and two thirds of the pool. Of a tenant's waiting units of work requests come first, but
 * for one job, so that neither stops the other. Jobs wait without a time limit: to fail would cost them an attempt.
 */
export class ConnectionShares {
  private readonly perTenant: number;
  private readonly total: number;
  private readonly jobTotal: number;
  private readonly waitMs: number;
  private readonly contention: Contention;
  private readonly held = new Map<string, Held>();
  private readonly waiting = new Map<string, Line>();
  private inUse = 0;
  private jobsInUse = 0;

  /** @param max connections of the pool @param waitMs maximum wait of a request in milliseconds */
  constructor(max: number, waitMs: number, contention: Contention = new Contention()) {
    this.perTenant = Math.max(1, Math.floor((max * 2) / 3));
    this.total = Math.max(1, max - 1);
    this.jobTotal = this.perTenant;
    this.waitMs = waitMs;
    this.contention = contention;
  }
  /** Number of connections that a tenant holds. */
  heldBy(tenantId: string): number {
    return this.held.get(tenantId)?.all ?? 0;
  }
  /**
   * Runs `fn`, which takes a connection of the pool, once the tenant may hold one more.
   * @throws Problem 503 `unavailable` when that takes a request longer than `waitMs`
   */
  async run<T>(tenantId: string, fn: () => Promise<T>): Promise<T> {
    const isJob = isInBackground();
    this.contention.note(tenantId);
    // A unit of work that needs another connection would otherwise wait for one that it holds.
    if (holder.getStore() === tenantId) this.take(tenantId, isJob);
    else await this.acquire(tenantId, isJob);
    try {
      return await holder.run(tenantId, fn);
    } finally {
      this.release(tenantId, isJob);
    }
  }
  private acquire(tenantId: string, isJob: boolean): Promise<void> | undefined {
    if (this.mayTake(tenantId, isJob) && !this.waiting.has(tenantId)) {
      this.take(tenantId, isJob);
      return undefined;
    }
    return new Promise<void>((resolve, reject) => {
      let line = this.waiting.get(tenantId);
      if (!line) this.waiting.set(tenantId, (line = { requests: [], jobs: [] }));
      const queue = isJob ? line.jobs : line.requests;
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer);
          this.take(tenantId, isJob);
          resolve();
        },
      };
      const giveUp = (): void => {
        queue.splice(queue.indexOf(waiter), 1);
        this.forgetEmptyLine(tenantId);
        reject(new Problem('unavailable', { detail: 'The shop waits for too many database transactions.', retryAfter: 2 }));
      };
      const timer = isJob ? undefined : setTimeout(giveUp, this.waitMs);
      queue.push(waiter);
      // A job in line doesn't hold up a request of its tenant that may take a connection.
      this.startWaiting();
    });
  }
  private release(tenantId: string, isJob: boolean): void {
    const held = this.held.get(tenantId) as Held;
    held.all--;
    if (isJob) {
      held.jobs--;
      this.jobsInUse--;
    }
    if (held.all === 0) this.held.delete(tenantId);
    this.inUse--;
    this.startWaiting();
  }
  /** Starts waiting units of work while there are connections for them. */
  private startWaiting(): void {
    let found = true;
    while (found) {
      found = false;
      for (const [tenantId, line] of this.waiting) {
        const waiter = this.nextOf(tenantId, line);
        if (!waiter) continue;
        // To the end of the order: the other tenants come first.
        this.waiting.delete(tenantId);
        this.waiting.set(tenantId, line);
        this.forgetEmptyLine(tenantId);
        waiter.start();
        found = true;
        break;
      }
    }
  }
  private nextOf(tenantId: string, { requests, jobs }: Line): Waiter | undefined {
    const hasJob = jobs.length > 0 && this.mayTake(tenantId, true);
    if (hasJob && (requests.length === 0 || !this.held.get(tenantId)?.jobs)) return jobs.shift();
    if (requests.length > 0 && this.mayTake(tenantId, false)) return requests.shift();
    return undefined;
  }
  private forgetEmptyLine(tenantId: string): void {
    const line = this.waiting.get(tenantId);
    if (line && line.requests.length === 0 && line.jobs.length === 0) this.waiting.delete(tenantId);
  }
  private mayTake(tenantId: string, isJob: boolean): boolean {
    if (this.inUse >= this.total) return false;
    const { all, jobs } = this.held.get(tenantId) ?? { all: 0, jobs: 0 };
    const share = this.contention.affects(tenantId) ? Math.min(contendedShare, this.perTenant) : this.perTenant;
    if (all >= share) return false;
    return !isJob || (jobs < Math.max(1, Math.floor(share / 2)) && this.jobsInUse < this.jobTotal);
  }
  private take(tenantId: string, isJob: boolean): void {
    let held = this.held.get(tenantId);
    if (!held) this.held.set(tenantId, (held = { all: 0, jobs: 0 }));
    held.all++;
    this.inUse++;
    if (!isJob) return;
    held.jobs++;
    this.jobsInUse++;
  }
}

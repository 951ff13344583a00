import { Problem } from '@storeloom/plugin-sdk';

interface Waiter {
  start(): void;
}

/**
 * Shares the connections of the pool among tenants. A tenant holds at most two thirds of them, and one connection is left for work without a
 * tenant (health, sign-in, platform transactions inside a tenant's). Tenants that wait are served in turn, however many requests each has.
 */
export class ConnectionShares {
  private readonly perTenant: number;
  private readonly total: number;
  private readonly waitMs: number;
  private readonly held = new Map<string, number>();
  private readonly waiting = new Map<string, Waiter[]>();
  private inUse = 0;

  /** @param max connections of the pool @param waitMs maximum wait in milliseconds */
  constructor(max: number, waitMs: number) {
    this.perTenant = Math.max(1, Math.floor((max * 2) / 3));
    this.total = Math.max(1, max - 1);
    this.waitMs = waitMs;
  }
  /** Number of connections that a tenant holds. */
  heldBy(tenantId: string): number {
    return this.held.get(tenantId) ?? 0;
  }
  /**
   * Runs `fn`, which takes a connection of the pool, once the tenant may hold one more.
   * @throws Problem 503 `unavailable` when that takes longer than `waitMs`
   */
  async run<T>(tenantId: string, fn: () => Promise<T>): Promise<T> {
    await this.acquire(tenantId);
    try {
      return await fn();
    } finally {
      this.release(tenantId);
    }
  }
  private acquire(tenantId: string): Promise<void> | undefined {
    if (this.mayTake(tenantId) && !this.waiting.has(tenantId)) {
      this.take(tenantId);
      return undefined;
    }
    return new Promise<void>((resolve, reject) => {
      const queue = this.waiting.get(tenantId) ?? [];
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer);
          this.take(tenantId);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        if (queue.length === 0) this.waiting.delete(tenantId);
        reject(new Problem('unavailable', { detail: 'The shop waits for too many database transactions.', retryAfter: 2 }));
      }, this.waitMs);
      queue.push(waiter);
      this.waiting.set(tenantId, queue);
    });
  }
  private release(tenantId: string): void {
    const left = this.heldBy(tenantId) - 1;
    if (left > 0) this.held.set(tenantId, left);
    else this.held.delete(tenantId);
    this.inUse--;
    for (const [next, queue] of this.waiting) {
      if (!this.mayTake(next)) continue;
      const waiter = queue.shift() as Waiter;
      // To the end of the order: the other tenants come first.
      this.waiting.delete(next);
      if (queue.length > 0) this.waiting.set(next, queue);
      waiter.start();
      return;
    }
  }
  private mayTake(tenantId: string): boolean {
    return this.inUse < this.total && this.heldBy(tenantId) < this.perTenant;
  }
  private take(tenantId: string): void {
    this.held.set(tenantId, this.heldBy(tenantId) + 1);
    this.inUse++;
  }
}

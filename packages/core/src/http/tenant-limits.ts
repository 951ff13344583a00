import { Problem } from '@storeloom/plugin-sdk';

/**
 * What one tenant may use of a process at a time. Requests count until their response is sent or the client has disconnected.
 * `bodyBytes`: request bodies in memory. `files`: public files, which every visitor loads.
 */
const limits = { requests: 300, uploads: 12, downloads: 16, files: 300, bodyBytes: 64 * 1024 * 1024 } as const;
type Kind = keyof typeof limits;

const refusals: Record<Kind, string> = {
  requests: 'The shop is handling too many requests.',
  uploads: 'The shop is receiving too many uploads.',
  downloads: 'The shop is sending too many exports and downloads.',
  files: 'The shop is sending too many files.',
  bodyBytes: 'The shop is receiving too much data.',
};

/** Bytes of a step of an amount that grows. */
const step = 16 * 1024;

/** Share of a tenant's limit that the clients of one address can use, so that the others are served. */
const addressShare = 3 / 4;

type Used = Record<Kind, number>;
const nothing = (): Used => ({ requests: 0, uploads: 0, downloads: 0, files: 0, bodyBytes: 0 });

/** Counts what the tenants use of this process. */
export class TenantLimits {
  private readonly used = new Map<string, Used>();

  /**
   * Counts `amount` of `kind` for the tenant, and for the address, of which clients of the tenant can use three quarters of its limit. Without a
   * tenant it is counted for the address alone. Returns the function that gives it back.
   * @throws Problem 503 `unavailable` above the limit
   */
  take(tenant: string | undefined, address: string, kind: Kind, amount = 1): () => void {
    if (tenant === undefined) return this.count(`@${address}`, kind, amount, limits[kind]);
    const releaseAddress = this.count(`${tenant}@${address}`, kind, amount, limits[kind] * addressShare);
    try {
      const releaseTenant = this.count(tenant, kind, amount, limits[kind]);
      return () => {
        releaseAddress();
        releaseTenant();
      };
    } catch (error) {
      releaseAddress();
      throw error;
    }
  }
  private count(key: string, kind: Kind, amount: number, limit: number): () => void {
    let used = this.used.get(key);
    if ((used?.[kind] ?? 0) + amount > limit) throw new Problem('unavailable', { detail: refusals[kind], retryAfter: 2 });
    if (!used) this.used.set(key, (used = nothing()));
    used[kind] += amount;
    const counted = used;
    return () => {
      counted[kind] -= amount;
      if (Object.values(counted).every((n) => n === 0)) this.used.delete(key);
    };
  }
  /**
   * Counts an amount that grows to the given total. It counts what is there, not what is announced: an announcement costs a client nothing.
   * `growTo` throws like `take`; after `release` it counts nothing more.
   */
  growing(tenant: string | undefined, address: string, kind: Kind): { growTo(total: number): void; release(): void } {
    const releases: (() => void)[] = [];
    let counted = 0;
    let isReleased = false;
    return {
      growTo: (total) => {
        // In steps, so that a body of single bytes needs no closure for each.
        while (counted < total && !isReleased) {
          releases.push(this.take(tenant, address, kind, step));
          counted += step;
        }
      },
      release: () => {
        isReleased = true;
        for (const release of releases.splice(0)) release();
      },
    };
  }
  /** Number of tenants and addresses with open requests. */
  get size(): number {
    return this.used.size;
  }
}

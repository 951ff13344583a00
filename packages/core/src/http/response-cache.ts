import { LRUCache } from 'lru-cache';

export interface CachedResponse {
  readonly body: string;
  readonly etag: string;
  readonly storedAt: number;
}

/**
 * Whole public storefront responses for guests. The key is tenant, locale and request target; writes drop tags, in every process.
 */
export class ResponseCache {
  private readonly entries = new LRUCache<string, CachedResponse & { tenant: string; tags: readonly string[] }>({
    max: 5000,
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: (entry) => entry.body.length + 200,
  });
  /** Incremented by each drop, so that a response computed before it isn't stored after it. */
  private readonly epochs = new Map<string, number>();

  epoch(tenant: string): number {
    return this.epochs.get(tenant) ?? 0;
  }
  get(key: string, maxAgeMs: number): CachedResponse | undefined {
    const found = this.entries.get(key);
    return found && performance.now() - found.storedAt <= maxAgeMs ? found : undefined;
  }
  set(key: string, tenant: string, tags: readonly string[], epoch: number, body: string, etag: string): void {
    if (this.epoch(tenant) === epoch) this.entries.set(key, { tenant, tags, body, etag, storedAt: performance.now() });
  }
  drop(tenant: string | null, tags: readonly string[]): void {
    if (tenant === null) {
      this.entries.clear();
      for (const known of this.epochs.keys()) this.epochs.set(known, (this.epochs.get(known) ?? 0) + 1);
      return;
    }
    this.epochs.set(tenant, this.epoch(tenant) + 1);
    for (const [key, entry] of this.entries.entries())
      if (entry.tenant === tenant && (tags.length === 0 || entry.tags.some((tag) => tags.includes(tag))))
        this.entries.delete(key);
  }
}

import { LRUCache } from 'lru-cache';
import type { Coding } from './response.ts';

export interface CachedResponse {
  readonly body: string;
  /** Headers of the first response, `etag` included, but none of a single caller. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Compressed forms, filled on first use. */
  readonly variants: Map<Coding, Promise<Buffer>>;
  readonly storedAt: number;
}

/**
 * Whole public storefront responses for guests. The key is tenant, locale and request target; writes drop tags, in every process.
 */
export class ResponseCache {
  private readonly entries = new LRUCache<string, CachedResponse & { tenant: string; tags: readonly string[] }>({
    max: 5000,
    maxSize: 64 * 1024 * 1024,
    // Compressed forms take less than half of the text.
    sizeCalculation: (entry) => Math.ceil(entry.body.length * 1.5) + 400,
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
  /** Stores a response that was computed in this epoch. Returns the entry, stored or not. */
  set(
    key: string,
    of: { tenant: string; tags: readonly string[]; epoch: number },
    { body, headers }: Pick<CachedResponse, 'body' | 'headers'>,
  ): CachedResponse {
    const { tenant, tags, epoch } = of;
    const entry = { tenant, tags, body, headers, variants: new Map(), storedAt: performance.now() };
    if (this.epoch(tenant) === epoch) this.entries.set(key, entry);
    return entry;
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

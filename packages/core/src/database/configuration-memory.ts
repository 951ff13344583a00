import { LRUCache } from 'lru-cache';

/** What this process remembers of the tenants' configuration, each value under the revision of its tenant at which it was read. */
export class ConfigurationMemory {
  private readonly values = new LRUCache<string, { revision: string | null; value: unknown }>({ max: 5000 });

  async get<T>(key: string, asked: Promise<string | null>, load: () => Promise<T>): Promise<T> {
    const revision = await asked;
    const found = this.values.get(key);
    if (found && found.revision === revision) return found.value as T;
    const value = await load();
    // Newer than the revision says, if somebody has just changed it: whoever reads at the next one loads again.
    this.values.set(key, { revision, value });
    return value;
  }
}

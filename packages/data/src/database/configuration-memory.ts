import { LRUCache } from 'lru-cache';

/** Caches values of the tenants' configuration by the revision at which they were read. */
export class ConfigurationMemory {
  private readonly values = new LRUCache<string, { revision: string | null; value: unknown }>({ max: 5000 });

  async get<T>(key: string, asked: Promise<string | null>, load: () => Promise<T>): Promise<T> {
    const revision = await asked;
    const found = this.values.get(key);
    if (found && found.revision === revision) return found.value as T;
    const value = frozen(await load());
    // The value can be newer than the revision, after a concurrent change: readers of the next revision load it again.
    this.values.set(key, { revision, value });
    return value;
  }
}

/** Freezes a value, since all requests of the process share it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}

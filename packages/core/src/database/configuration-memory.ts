import { LRUCache } from 'lru-cache';

/** What this process remembers of the tenants' configuration, each value under the revision of its tenant at which it was read. */
export class ConfigurationMemory {
  private readonly values = new LRUCache<string, { revision: string | null; value: unknown }>({ max: 5000 });

  async get<T>(key: string, asked: Promise<string | null>, load: () => Promise<T>): Promise<T> {
    const revision = await asked;
    const found = this.values.get(key);
    if (found && found.revision === revision) return found.value as T;
    const value = frozen(await load());
    // Newer than the revision says, if somebody has just changed it: whoever reads at the next one loads again.
    this.values.set(key, { revision, value });
    return value;
  }
}

/** Shared by all requests of the process: a caller that changes it fails where it does so. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}

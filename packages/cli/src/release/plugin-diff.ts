import type { SnapshotRecord } from '@storeloom/snapshot';
import semver from 'semver';

export type PluginList = SnapshotRecord['plugins'];

export interface PluginChange {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'downgraded' | 'not_ready';
  readonly from: string | null;
  readonly to: string | null;
}

/** Changes of a plugin list that an upgrade isn't expected to make: only higher versions are. */
export function unexpectedChanges(before: PluginList, after: PluginList): PluginChange[] {
  const old = new Map(before.map((plugin) => [plugin.name, plugin]));
  const present = new Set(after.map(({ name }) => name));
  const changes = after.flatMap(({ name, version, state }): PluginChange[] => {
    const known = old.get(name);
    const change = { name, from: known?.version ?? null, to: version };
    if (!known) return [{ ...change, change: 'added' }];
    if (known.state === 'ready' && state !== 'ready') return [{ ...change, change: 'not_ready' }];
    return known.version && version && semver.lt(version, known.version) ? [{ ...change, change: 'downgraded' }] : [];
  });
  const removed = before.filter(({ name }) => !present.has(name));
  return [...changes, ...removed.map(({ name, version }) => ({ name, change: 'removed' as const, from: version, to: null }))];
}

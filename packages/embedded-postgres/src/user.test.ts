import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canReach, closedFolders } from './user.ts';

it('names the folders that are closed to the user of the server, not those below them', () => {
  const base = mkdtempSync(join(tmpdir(), 'storeloom-user-'));
  try {
    chmodSync(base, 0o711);
    const [closed, data, cluster] = [join(base, 'home'), join(base, 'home/data'), join(base, 'home/data/postgres')];
    for (const [folder, mode] of [
      [closed, 0o700],
      [data, 0o711],
      [cluster, 0o750],
    ] as const)
      mkdirSync(folder, { mode });
    const stranger = { uid: 4_000_000, gid: 4_000_000 };
    expect(closedFolders(join(data, 'x'), stranger)).toEqual([closed]);
    expect(closedFolders(join(cluster, 'x'), stranger)).toEqual([closed, cluster]);
    expect(canReach(join(data, 'x'), stranger)).toBe(false);
    chmodSync(closed, 0o711);
    expect(closedFolders(join(data, 'x'), stranger)).toEqual([]);
    expect(canReach(join(data, 'x'), stranger)).toBe(true);
    expect(closedFolders(join(cluster, 'x'), undefined)).toEqual([]);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

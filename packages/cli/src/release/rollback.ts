import { readRecord, restoreSnapshot, rowsWrittenSince } from '@storeloom/snapshot';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { newest } from './snapshot.ts';
import { type ReleaseOptions, snapshotFolder, sourceOf } from './source.ts';

interface RollbackOptions extends ReleaseOptions {
  readonly snapshot?: string;
  readonly acceptLoss?: boolean;
  readonly json?: boolean;
}

/**
 * Restores a snapshot in place of the present database, which is kept. Prints the rows written since first, and refuses without
 * `--accept-loss`. Exit codes: 0 · 1 refused, nothing changed · 5 the restore failed, the database is as before.
 */
export async function rollback(options: RollbackOptions, life: Lifetime): Promise<number> {
  const folder = snapshotFolder(options);
  const source = sourceOf(options);
  const record = readRecord(folder, options.snapshot ?? newest(folder));
  const { signal } = life;
  let lost: Awaited<ReturnType<typeof rowsWrittenSince>>;
  try {
    lost = await rowsWrittenSince(source, record, { say, signal });
  } catch (error) {
    // A database that can't be read is a reason to roll back.
    if (options.acceptLoss !== true || signal.aborted) throw error;
    say(`the rows written since the snapshot can't be counted: ${(error as Error).message}`);
    lost = [];
  }
  const rows = lost.reduce((sum, table) => sum + table.rows, 0);
  const since = `since the snapshot ${record.id}${record.product === null ? '' : ` of release ${record.product}`}`;
  if (!options.json) {
    say(rows === 0 ? `no row is known to have been written ${since}` : `${rows} rows were written ${since} and would be lost:`);
    for (const { table, rows } of lost) say(`  ${String(rows).padStart(9)}  ${table}`);
  }
  if (options.acceptLoss !== true) {
    if (options.json) print({ restored: false, snapshot: record.id, lost });
    say('nothing was restored: stop all processes, and repeat the command with --accept-loss');
    return 1;
  }
  const { keptAs } = await restoreSnapshot(source, record.id, { folder, say, signal });
  if (options.json) print({ restored: true, snapshot: record.id, lost, keptAs });
  else {
    say(
      `restored ${record.id}; ${keptAs === null ? 'the replaced content is not kept' : `the replaced database is kept as ${keptAs}`}`,
    );
    say(`next: install release ${record.product ?? 'of the snapshot'}, run storeloom migrate status, and start it`);
  }
  return 0;
}

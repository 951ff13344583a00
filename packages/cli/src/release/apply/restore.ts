import { type Restored, restoreSnapshot } from '@storeloom/snapshot';
import { say } from '../../output.ts';
import { processGroups, readProcessState } from '../../processes/state.ts';
import type { ApplyContext } from './context.ts';
import { UpgradeError } from './upgrade-error.ts';

/** Puts a snapshot in place of the database. @throws UpgradeError while processes serve; SnapshotError */
export async function restoreStopped(context: ApplyContext, id: string): Promise<Restored> {
  const { source, snapshots, dataDir } = context;
  const running = processGroups.flatMap((group) => readProcessState(dataDir, group)?.pid ?? []);
  if (running.length > 0) throw new UpgradeError(`The processes ${running.join(', ')} serve: stop them first.`);
  return context.withoutDatabase(() => restoreSnapshot(source, id, { folder: snapshots, say }));
}

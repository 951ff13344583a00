import type { Database } from '@storeloom/data';
import { type MigrationSet, MigrationsPending, pendingMigrations } from '@storeloom/data';
import { reasonOf } from '../installation/fault.ts';
import type { PluginRegistry } from '../plugins/load.ts';

/**
 * Marks a plugin as `failed` if one of its migrations is not in the ledger.
 * @throws MigrationsPending if one of core's is not
 */
export async function checkLedger(
  database: Database,
  registry: PluginRegistry,
  { core, plugins }: { core: MigrationSet; plugins: readonly MigrationSet[] },
): Promise<void> {
  const pending = await database.withPlatform(
    (tx) => pendingMigrations({ query: (text) => tx.execute({ text, values: [] }) }, [core, ...plugins]),
    { readOnly: true },
  );
  const corePending = pending.get('core');
  if (corePending) throw new MigrationsPending(`the core migration ${corePending.message}`);
  for (const [plugin, { code, message }] of pending)
    registry.markFailed(plugin, reasonOf({ code, what: message, fix: 'storeloom migrate' }));
}

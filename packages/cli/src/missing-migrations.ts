import { type Prepared, reasonOf } from '@storeloom/core';
import { missingColumns } from '@storeloom/migration-draft';

/** Marks each ready plugin as failed whose tables declare what the database lacks: its routes would fail with errors of PostgreSQL. */
export async function failWithoutMigration({ registry, ownerUrl, tablesOf }: Prepared): Promise<void> {
  const plugins = registry.loaded.map(({ manifest }) => ({ manifest, tables: tablesOf(manifest.name) }));
  const missing = await missingColumns(
    ownerUrl,
    plugins.flatMap(({ tables }) => tables),
  );
  for (const { manifest, tables } of plugins) {
    const lacking = tables.flatMap((table) => missing.get(table) ?? []);
    if (lacking.length === 0) continue;
    registry.markFailed(
      manifest.name,
      reasonOf({
        code: 'migration_pending',
        what: `${manifest.name} ${manifest.version} declares what no migration has created`,
        why: `the database has no ${lacking.join(', ')}`,
        fix: `storeloom migrate diff ${manifest.name} drafts the migration`,
      }),
    );
  }
}

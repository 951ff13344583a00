import { sql } from '@storeloom/plugin-sdk';
import type { Database } from '../database/database.ts';
import type { Registry } from './registry.ts';

/** Stores the state of every plugin with its reason, for the command line and other processes. */
export async function saveStates(database: Database, registry: Registry): Promise<void> {
  const rows = registry.states();
  if (rows.length === 0) return;
  await database.withPlatform(async (tx) => {
    await tx.db.run(sql`insert into core_plugin_state (name, package, version, state, reason_code, reason_message, updated_at)
      values ${sql.join(rows.map((row) => sql`(${row.name}, ${row.package}, ${row.version}, ${row.state}, ${row.reason?.code ?? null}, ${row.reason?.message ?? null}, now())`))}
      on conflict (name) do update set package = excluded.package, version = excluded.version, state = excluded.state, reason_code = excluded.reason_code, reason_message = excluded.reason_message, updated_at = now()
      where (core_plugin_state.state, core_plugin_state.version, core_plugin_state.reason_code) is distinct from (excluded.state, excluded.version, excluded.reason_code)`);
    await tx.db.run(sql`delete from core_plugin_state where name not in (${sql.join(rows.map((row) => row.name))})`);
  });
}

import { MigrationsPending } from '@storeloom/data';
import { ConfigError } from '@storeloom/keys';
import pg from 'pg';

/** The record of the installation in the database. */
export interface InstallationRecord {
  /** Id of the data directory that belongs to the database; undefined before the first start. */
  readonly id: string | undefined;
  /**
   * Names of the plugins that the licence covered at the last start, including failed and blocked ones: they stay covered when it expires.
   * Undefined before the first start.
   */
  readonly plugins: ReadonlySet<string> | undefined;
  /** The stored licence, which `createLicence` verifies. */
  readonly licence: unknown;
}

const key = 'installation';

/** Reads the record as the owner; empty without the core's tables. */
export async function readInstallationRecord(ownerUrl: string): Promise<InstallationRecord> {
  return asOwner(ownerUrl, async (client) => {
    const { rows: server } = await client.query<{ major: number }>(
      `select current_setting('server_version_num')::int / 10000 as major`,
    );
    const major = server[0]?.major ?? 0;
    if (major < 15) throw new ConfigError([`the database runs on PostgreSQL ${major}; Storeloom needs 15 or newer`]);
    const { rows: tables } = await client.query<{ there: boolean }>(
      `select to_regclass('core_installation') is not null and to_regclass('core_plugin_state') is not null as there`,
    );
    if (!tables[0]?.there) return { id: undefined, plugins: undefined, licence: undefined };
    const { rows } = await client.query<{ id: string | null; plugins: string[] | null; licence: unknown }>(
      `select (select value #>> '{}' from core_installation where key = $1) as id,
              (select array_agg(name) from core_plugin_state where state in ('ready', 'failed', 'blocked')) as plugins,
              (select value from core_installation where key = 'licence') as licence`,
      [key],
    );
    return {
      id: rows[0]?.id ?? undefined,
      plugins: rows[0]?.plugins ? new Set(rows[0].plugins) : undefined,
      licence: rows[0]?.licence ?? undefined,
    };
  });
}

/** Claims the database for a data directory and returns the id that has it. Of two simultaneous first starts, one claims it. */
export async function claimInstallation(ownerUrl: string, id: string): Promise<string> {
  return asOwner(ownerUrl, async (client) => {
    await client
      .query(`insert into core_installation (key, value) values ($1, to_jsonb($2::text)) on conflict (key) do nothing`, [key, id])
      .catch((error: { code?: string }) => {
        throw error.code === '42P01' ? new MigrationsPending('the database has no tables yet') : error;
      });
    const { rows } = await client.query<{ id: string }>(`select value #>> '{}' as id from core_installation where key = $1`, [
      key,
    ]);
    return (rows[0] as { id: string }).id;
  });
}

async function asOwner<T>(ownerUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

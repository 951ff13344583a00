import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createDatabase, type Database, ensureRoles, migrate, runtimeRole, runtimeUrl } from '@storeloom/data';
import { createDatabase as createTestDatabase } from '@storeloom/embedded-postgres/testing';
import { sql, uuidv7 } from '@storeloom/plugin-sdk';

const folder = new URL('../migrations/', import.meta.url);
const password = 'test';

export interface CoreDatabase {
  readonly database: Database;
  readonly ownerUrl: string;
  readonly runtimeUrl: string;
  /** Makes a tenant; gives its id. */
  tenant(slug: string): Promise<string>;
  close(): Promise<void>;
}

/** A database of its own with the core's tables, reached by the runtime login as the product does. */
export async function coreDatabase(options: { max?: number; pooled?: boolean } = {}): Promise<CoreDatabase> {
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }));
  const key = `core ${createHash('sha256').update(JSON.stringify(migrations)).digest('hex')}`;
  const test = await createTestDatabase({
    loginOf: runtimeRole,
    template: {
      key,
      async prepare(url) {
        await ensureRoles(url, password);
        const report = await migrate(url, { owner: 'core', version: '1.0.0', migrations, requires: [] }, []);
        if (report.exitCode !== 0)
          throw new Error(report.failed.map((failure) => `${failure.name}: ${failure.message}`).join('; '));
      },
    },
  });
  // The runtime login belongs to one database, so the copy needs its own.
  await ensureRoles(test.url, password);
  const url = runtimeUrl(test.url, password);
  const database = createDatabase({
    url,
    max: options.max ?? 10,
    pooled: options.pooled ?? false,
    onError: (error) => console.error(error),
  });
  return {
    database,
    ownerUrl: test.url,
    runtimeUrl: url,
    async tenant(slug) {
      const id = uuidv7();
      await database.withPlatform((tx) =>
        tx.db.run(
          sql`insert into core_tenant (id, slug, name, created_at, updated_at) values (${id}, ${slug}, ${slug}, now(), now())`,
        ),
      );
      return id;
    },
    async close() {
      await database.close();
      await test.drop();
    },
  };
}

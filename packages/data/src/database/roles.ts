import { createHash } from 'node:crypto';
import pg from 'pg';

/** Roles shared by the databases of a server. */
export const roles = { app: 'storeloom_app', platform: 'storeloom_platform' } as const;

/** Returns the runtime login of a database, so that two installations of one server have separate logins and passwords. */
export function runtimeRole(ownerUrl: string): string {
  const database = decodeURIComponent(new URL(ownerUrl).pathname.slice(1));
  return `storeloom_runtime_${createHash('sha256').update(database).digest('hex').slice(0, 8)}`;
}

/** Ignores that a role exists, since two simultaneous first starts can both create it. */
async function unlessThere(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== '42710' && code !== '23505') throw error;
  }
}

/**
 * Creates missing roles and the runtime login, as the owner (who needs CREATEROLE). The runtime login has no privileges: NOINHERIT, member of
 * app and platform; each transaction sets its role.
 */
export async function ensureRoles(ownerUrl: string, runtimePassword: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const role of [roles.app, roles.platform]) await unlessThere(client.query(`create role ${role} nologin`));
    const runtime = runtimeRole(ownerUrl);
    const login = `login noinherit password ${client.escapeLiteral(runtimePassword)}`;
    await unlessThere(client.query(`create role ${runtime} ${login}`));
    const { rows } = await client.query<{ rolsuper: boolean; rolbypassrls: boolean }>(
      'select rolsuper, rolbypassrls from pg_roles where rolname = $1',
      [runtime],
    );
    if (rows[0]?.rolsuper || rows[0]?.rolbypassrls)
      throw new Error(`the role ${runtime} must be neither superuser nor BYPASSRLS`);
    await client.query(`alter role ${runtime} ${login}`);
    await unlessThere(client.query(`grant ${roles.app}, ${roles.platform} to ${runtime}`));
    // The owner transfers search and directory functions to the platform role. That needs membership (not inheritance: the owner must
    // not see tenants' rows) and CREATE on the schema.
    const { rows: server } = await client.query<{ major: number }>(
      `select current_setting('server_version_num')::int / 10000 as major`,
    );
    const options = (server[0]?.major ?? 0) >= 16 ? ' with inherit false, set true' : '';
    await unlessThere(client.query(`grant ${roles.platform} to current_user${options}`));
    await client.query(`grant create, usage on schema public to ${roles.platform}`);
  } finally {
    await client.end();
  }
}

/** Returns the URL of the runtime login; `at` is that of a pooler, which can have another name for the database. */
export function runtimeUrl(ownerUrl: string, password: string, at: string = ownerUrl): string {
  const url = new URL(at);
  url.username = runtimeRole(ownerUrl);
  url.password = encodeURIComponent(password);
  return url.toString();
}

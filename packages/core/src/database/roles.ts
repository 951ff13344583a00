import pg from 'pg';

/** Names of the roles; see the design of tenancy. */
export const roles = {
  owner: 'storeloom_owner',
  app: 'storeloom_app',
  platform: 'storeloom_platform',
  runtime: 'storeloom_runtime',
} as const;

/**
 * Makes the roles that are missing and the runtime login, as the owner (who needs CREATEROLE). The runtime login holds nothing:
 * NOINHERIT, member of app and platform; each transaction takes its role.
 */
export async function ensureRoles(ownerUrl: string, runtimePassword: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    // Several databases of one server share roles; two first starts at once must not race.
    await client.query(`select pg_advisory_lock(hashtext('storeloom_roles'))`);
    for (const role of [roles.app, roles.platform]) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
      if (rowCount === 0) await client.query(`create role ${role} nologin`);
    }
    const { rows } = await client.query<{ rolsuper: boolean; rolbypassrls: boolean }>(
      'select rolsuper, rolbypassrls from pg_roles where rolname = $1',
      [roles.runtime],
    );
    const password = client.escapeLiteral(runtimePassword);
    if (rows[0] === undefined) await client.query(`create role ${roles.runtime} login noinherit password ${password}`);
    else if (rows[0].rolsuper || rows[0].rolbypassrls)
      throw new Error(`the role ${roles.runtime} must be neither superuser nor BYPASSRLS`);
    else await client.query(`alter role ${roles.runtime} login noinherit password ${password}`);
    await client.query(`grant ${roles.app}, ${roles.platform} to ${roles.runtime}`);
    // The owner hands search and directory functions to the platform role, which takes membership and CREATE on the schema.
    await client.query(`grant ${roles.platform} to current_user`);
    await client.query(`grant create, usage on schema public to ${roles.platform}`);
  } finally {
    await client.end();
  }
}

/** The runtime login's URL on the same server and database. */
export function runtimeUrl(ownerUrl: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = roles.runtime;
  url.password = password;
  return url.toString();
}

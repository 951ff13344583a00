import pg from 'pg';

export const ownerRole = 'storeloom_owner';
const databaseName = 'storeloom';

/**
 * A URL that node-postgres, Kysely and libpq take, and `new URL` too: the host stands in the query, since it is a folder.
 */
export function databaseUrl(socketDir: string, user: string, password: string, database: string): string {
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return `postgresql://${credentials}@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(socketDir)}`;
}

/** The same server and role, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/**
 * Makes the owner role and its database. The owner may make roles (the migrations make the ones that requests and jobs take) and
 * databases (a snapshot is restored into a new one). Repeatable.
 */
export async function prepareDatabase(superuserUrl: string, ownerPassword: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl, application_name: 'storeloom launcher' });
  await client.connect();
  try {
    const role = await client.query('select 1 from pg_roles where rolname = $1', [ownerRole]);
    // Utility statements take no parameters; the password is quoted by the driver.
    const options = `login createrole createdb password ${client.escapeLiteral(ownerPassword)}`;
    await client.query(`${role.rowCount === 0 ? 'create' : 'alter'} role ${ownerRole} ${options}`);
    const database = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    if (database.rowCount === 0) await client.query(`create database ${databaseName} owner ${ownerRole}`);
  } finally {
    await client.end();
  }
}

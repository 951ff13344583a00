import pg from 'pg';

/** Runs work on a connection of its own, and closes it. */
export async function withConnection<T>(
  url: string,
  config: Omit<pg.ClientConfig, 'connectionString'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, ...config });
  // A broken connection fails the pending statement; without a listener the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs work on a connection of its own that sees the rows of all tenants, and closes it. */
export const withClient = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection(
    url,
    {
      application_name: 'storeloom-snapshot',
      options: '-c app.maintenance=on -c timezone=UTC -c statement_timeout=0',
    },
    work,
  );

/** The same server and role, another database. */
export function onDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/** The database is unreachable or rejects the login. The message has host, database and role, never the password. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
  readonly code = 'database_refused';
  readonly exitCode = 5;
}

const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
  'EACCES',
]);
/** Messages of node-postgres' errors without a code. */
const lost = /^(timeout expired|Connection terminated|timeout exceeded when trying to connect|The server does not support SSL)/;

/** Returns true for a timeout: the connection has an outstanding response. */
export const isUnanswered = (error: unknown): error is Error => error instanceof Error && error.message === 'Query read timeout';

/** Returns true if the connection ended or none was available. These errors have no code. */
export const isConnectionLost = (error: unknown): boolean =>
  isUnanswered(error) ||
  (error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/.test(
      error.message,
    ));

/** SQLSTATEs of the connection, the login or its privileges, not of a statement. */
const refusals: readonly [RegExp, string | undefined][] = [
  [/^28/, 'check user and password in DATABASE_URL or --database-url'],
  [/^3D000$/, 'create the database, or name another in DATABASE_URL or --database-url'],
  [/^42501$/, 'the role must own the database or its schema public, and may make roles: alter role … createrole'],
  [/^08P01$/, 'PgBouncer must know this login, and DATABASE_URL_DIRECT must name the server itself'],
  [/^53300$/, 'the server takes no more connections: raise max_connections, or end what holds them'],
  [/^(57P|08)/, undefined],
];

/** Converts an error of connection or login to a message with advice; returns other errors unchanged. */
export function asRefusal(error: unknown, url: string): unknown {
  if (error instanceof DatabaseRefused || !(error instanceof Error)) return error;
  // A name with several addresses has an error for each.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const message = error.message || first?.message || 'no answer';
  const { code: given, syscall } = { ...first, ...error } as { code?: unknown; syscall?: unknown };
  const code = String(given ?? '');
  const { database, host, user } = partsOf(url);
  // A missing file has the same code.
  if ((away.has(code) && /^(connect|getaddrinfo|read|write)$/.test(String(syscall)) && !('path' in error)) || lost.test(message))
    return new DatabaseRefused(
      `the database ${database} on ${host} can't be reached: ${message}\n  fix    start it, or name another in DATABASE_URL or --database-url`,
      { cause: error },
    );
  const refusal = refusals.find(([state]) => state.test(code));
  if (!refusal) return error;
  const fix = refusal[1] === undefined ? '' : `\n  fix    ${refusal[1]}`;
  return new DatabaseRefused(`the database ${database} on ${host} rejects ${user}: ${message} (${code})${fix}`, { cause: error });
}

/** Returns the parts of a URL for messages, without the password. */
function partsOf(text: string): { database: string; host: string; user: string } {
  const url = new URL(text);
  const named = url.searchParams.get('host') ?? (url.hostname === '' ? 'localhost' : url.hostname);
  const port = url.port === '' ? '' : `:${url.port}`;
  return {
    database: `"${decodeURIComponent(url.pathname.slice(1)) || 'without a name'}"`,
    host: `${named}${named.startsWith('/') ? '' : port}`,
    user: url.username === '' ? 'the login' : `"${decodeURIComponent(url.username)}"`,
  };
}

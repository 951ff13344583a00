import { connect } from 'node:net';
import type pg from 'pg';

/** Code of a CancelRequest in the protocol of PostgreSQL. */
const cancelRequest = 80_877_102;
/** Milliseconds for the server to take the request. */
const patience = 1000;

/** Properties of node-postgres' client, that its types leave out. */
interface Cancellable {
  host: string;
  port: number;
  processID: number;
  secretKey: number;
}

/**
 * Cancels the statement that a connection runs (SQLSTATE 57014). Resolves when the server, or PgBouncer, has taken the request or can't be
 * reached: then the statement ends by its own time limit. Sent without TLS, which servers accept, since it holds no data.
 */
export function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Cancellable;
  const message = Buffer.alloc(16);
  for (const [i, value] of [16, cancelRequest, processID, secretKey].entries()) message.writeInt32BE(value, i * 4);
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(patience, () => socket.destroy());
    socket.on('connect', () => socket.end(message));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve());
  });
}

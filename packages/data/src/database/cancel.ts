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
 * Cancels the statement that a connection runs (SQLSTATE 57014), if the server, or PgBouncer, can be reached. Returns true once it has
 * processed the request, or never got it. False: the request was sent, but not acknowledged in time, and can still hit any later
 * statement of the connection, which must not be used for other work then. Sent without TLS, which servers accept, since it holds no data.
 */
export function cancelStatement(client: pg.PoolClient): Promise<boolean> {
  // cast: node-postgres' types leave the properties out.
  const { host, port, processID, secretKey } = client as unknown as Cancellable;
  const message = Buffer.alloc(16);
  for (const [i, value] of [16, cancelRequest, processID, secretKey].entries()) message.writeInt32BE(value, i * 4);
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let isSent = false;
    let isProcessed = false;
    socket.setTimeout(patience, () => socket.destroy());
    socket.on('connect', () => {
      isSent = true;
      socket.end(message);
    });
    // The server closes the connection once it has signalled the statement.
    socket.on('end', () => (isProcessed = true));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(isProcessed || !isSent));
    socket.resume();
  });
}

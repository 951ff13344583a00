import { createServer, type Server, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { Problem, withTimeout } from '@storeloom/plugin-sdk';
import Koa from 'koa';
import { rawProblem } from './raw-problem.ts';
import { limitSlowClients, type SlowClientLimits, slowClientLimits } from './slow-clients.ts';

/** The port is in use by another process, or may not be opened by this user. */
export class PortRefused extends Error {
  override readonly name = 'PortRefused';
  readonly code = 'port_refused';
  readonly exitCode = 1;
  constructor(port: number, error: NodeJS.ErrnoException) {
    const why =
      error.code === 'EADDRINUSE'
        ? 'is in use by another process'
        : error.code === 'EACCES'
          ? 'may not be opened by this user'
          : `can't be opened: ${error.message}`;
    super(`port ${port} ${why}\n  fix    stop that process, or choose another port with --port`, { cause: error });
  }
}

const bind = (server: NetServer, port: number, host: string | undefined): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(new PortRefused(port, error));
    server.once('error', refuse);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', refuse);
      resolve();
    });
  });

/**
 * Checks that the port is free, before the slow part of the boot.
 * @throws PortRefused
 */
export async function checkPort(port: number, host?: string): Promise<void> {
  if (port === 0) return;
  const probe = new NetServer();
  await bind(probe, port, host);
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}

export interface HttpServer {
  readonly server: Server;
  readonly port: number;
  readonly draining: () => boolean;
  /**
   * Stops accepting connections and waits for open requests. Busy keep-alive connections get `Connection: close`, idle ones are closed after
   * the keep-alive time, so no request is lost; with `idle: 'close'` immediately. Limit for open requests: 30 s.
   */
  drain(options?: { idle?: 'wait' | 'close' }): Promise<void>;
  /** Closes every connection immediately. */
  close(): Promise<void>;
}

const keepAliveMs = 5000;
const drainLimitMs = 30_000;

/** Response to bytes that are no HTTP request and never reach the pipeline. */
function unreadable({ code }: NodeJS.ErrnoException): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  return rawProblem(status, new Problem('malformed_request', { detail: `The request can't be read: ${STATUS_CODES[status]}.` }));
}

export interface ListenOptions {
  limits?: SlowClientLimits;
  /** Whether an address is that of a trusted proxy. */
  isProxy?(address: string): boolean;
}

export async function listen(
  middleware: Koa.Middleware,
  port: number,
  host: string | undefined,
  onDrain: () => void,
  { limits = slowClientLimits, isProxy = () => false }: ListenOptions = {},
): Promise<HttpServer> {
  const app = new Koa();
  app.silent = true;
  app.use(middleware);
  let draining = false;
  const server = createServer(
    {
      maxHeaderSize: 16_384,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      requireHostHeader: false,
    },
    app.callback(),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.write(unreadable(error));
    // Not `end`, which leaves the connection half open for a client that goes on sending.
    (socket as Socket).destroySoon();
  });
  const stopLimits = limitSlowClients(server, limits, isProxy);
  server.once('close', stopLimits);
  await bind(server, port, host);
  return {
    server,
    port: (server.address() as AddressInfo).port,
    draining: () => draining,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    async drain({ idle = 'wait' } = {}) {
      if (draining) return;
      draining = true;
      onDrain();
      // Only the listening socket: http.Server.close would drop idle connections that a client may be about to use.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const connections = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
      if (connections > 0) {
        if (idle === 'wait') await withTimeout(closed, keepAliveMs + 1000, () => undefined);
        server.closeIdleConnections();
        await withTimeout(closed, drainLimitMs, () => undefined);
        server.closeAllConnections();
      }
      await closed;
    },
  };
}

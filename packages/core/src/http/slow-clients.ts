import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@storeloom/plugin-sdk';
import { rawProblem } from './raw-problem.ts';

export interface SlowClientLimits {
  /** Milliseconds for the headers of a request. */
  headersMs: number;
  /** Milliseconds for a whole request. */
  requestMs: number;
  /** Milliseconds of a window in which a body must progress, and the least bytes of each. */
  windowMs: number;
  windowBytes: number;
  /** Unfinished requests of one address that are older than `graceMs`; the oldest above it are closed. */
  perAddress: number;
  graceMs: number;
}
export const slowClientLimits: SlowClientLimits = {
  headersMs: 15_000,
  // Uploads of 100 MB; slower bodies than a kilobyte a second end sooner.
  requestMs: 600_000,
  windowMs: 10_000,
  windowBytes: 10_000,
  perAddress: 100,
  graceMs: 3000,
};

interface Receiving {
  /** The request loses it when it is destroyed. */
  readonly socket: Socket;
  readonly res: ServerResponse;
  readonly since: number;
  windowStart: number;
  windowBytes: number;
}

/**
 * Closes connections of clients that send headers or bodies too slowly, and the oldest of an address that has too many of them. `isProxy`
 * exempts addresses that stand for many clients. Returns a function that stops it.
 */
export function limitSlowClients(server: Server, limits: SlowClientLimits, isProxy: (address: string) => boolean): () => void {
  /** Connections that haven't sent the headers of a request yet. */
  const silent = new Map<Socket, number>();
  const receiving = new Map<IncomingMessage, Receiving>();

  server.on('connection', (socket: Socket) => {
    silent.set(socket, performance.now());
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    silent.delete(req.socket);
    const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
    const now = performance.now();
    if (hasBody) receiving.set(req, { socket: req.socket, res, since: now, windowStart: now, windowBytes: req.socket.bytesRead });
  });

  function close(req: IncomingMessage, { socket, res }: Receiving): void {
    receiving.delete(req);
    if (!res.headersSent && socket.writable)
      socket.write(rawProblem(408, new Problem('malformed_request', { detail: 'The body arrives too slowly.' })));
    socket.destroySoon();
    req.destroy();
  }

  /** Returns whether the client sent too little in its window. A body that the server doesn't read at the moment isn't the client's fault. */
  function isTooSlow(req: IncomingMessage, state: Receiving, now: number): boolean {
    if (now - state.windowStart < limits.windowMs) return false;
    const { bytesRead } = state.socket;
    const sent = bytesRead - state.windowBytes;
    state.windowStart = now;
    state.windowBytes = bytesRead;
    return sent < limits.windowBytes && req.readableLength < req.readableHighWaterMark;
  }

  const interval = Math.min(1000, limits.graceMs, limits.windowMs);
  let last = performance.now();
  const sweep = (): void => {
    const now = performance.now();
    // A process that was busy hasn't read what its clients sent meanwhile.
    const wasBusy = now - last > interval * 2;
    last = now;
    if (wasBusy) return;
    const old = new Map<string, { since: number; close: () => void }[]>();
    const note = (socket: Socket, since: number, end: () => void): void => {
      const address = socket.remoteAddress;
      if (address === undefined || now - since < limits.graceMs || isProxy(address)) return;
      const list = old.get(address);
      if (list) list.push({ since, close: end });
      else old.set(address, [{ since, close: end }]);
    };
    for (const [socket, since] of silent) note(socket, since, () => socket.destroy());
    for (const [req, state] of receiving) {
      if (req.complete || req.destroyed || state.socket.destroyed) receiving.delete(req);
      else if (isTooSlow(req, state, now)) close(req, state);
      else note(state.socket, state.since, () => close(req, state));
    }
    for (const list of old.values()) {
      const excess = list.length - limits.perAddress;
      if (excess > 0) for (const { close: end } of list.sort((a, b) => a.since - b.since).slice(0, excess)) end();
    }
  };
  const timer = setInterval(sweep, interval);
  timer.unref();
  return () => clearInterval(timer);
}

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Hit {
  at: number;
  path: string;
  id: string;
  timestamp: number;
  signatures: string[];
  body: string;
  headers: IncomingHttpHeaders;
  /** Status that was answered; null where the connection was cut. */
  answered: number | null;
}
/** What the receiver does with the n-th request of a path, counted from 0. */
export type Behaviour = (
  n: number,
) => { status: number; headers?: Record<string, string>; body?: string; delayMs?: number; hold?: Promise<unknown> } | 'reset';

/** A receiver that records its requests and sends the configured response. */
export class Receiver {
  readonly hits: Hit[] = [];
  private server: Server | undefined;
  private readonly behaviours = new Map<string, Behaviour>();
  private readonly sockets = new Set<Socket>();
  port = 0;

  async start(port = 0): Promise<this> {
    this.server = createServer(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      const path = req.url ?? '';
      const n = this.of(path).length;
      const act = this.behaviours.get(path)?.(n) ?? { status: 204 };
      this.hits.push({
        at: Date.now(),
        path,
        id: String(req.headers['webhook-id']),
        timestamp: Number(req.headers['webhook-timestamp']),
        signatures: String(req.headers['webhook-signature']).split(' '),
        body,
        headers: req.headers,
        answered: act === 'reset' ? null : act.status,
      });
      if (act === 'reset') {
        req.socket.destroy();
        return;
      }
      if (act.delayMs) await new Promise((resolve) => setTimeout(resolve, act.delayMs));
      await act.hold;
      res.writeHead(act.status, act.headers ?? {}).end(act.body ?? '');
    });
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => this.server?.listen(port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(undefined)));
  }
  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }
  behave(path: string, behaviour: Behaviour): void {
    this.behaviours.set(path, behaviour);
  }
  of(path: string): Hit[] {
    return this.hits.filter((hit) => hit.path === path);
  }
  /** Event types that a path was sent, in order. */
  types(path: string): string[] {
    return this.of(path).map((hit) => (JSON.parse(hit.body) as { type: string }).type);
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}
interface Step {
  code: string;
  status: string;
  at: string;
  location?: string;
  description?: string;
}
const pdf = Buffer.from('%PDF-1.4\n% a label\n%%EOF\n');

/** A carrier that implements the HTTP API of the README, with faults on request. Shipments are idempotent by their key. */
export class FakeCarrier {
  readonly calls: Call[] = [];
  readonly shipments = new Map<string, { key: string; cancelled: boolean; events: Step[] }>();
  /** The fault of the next calls: an error response, no response (`hang`), or a shipment whose response is lost. */
  fault: { status: number; body: object } | 'hang' | 'lost' | undefined;
  delayMs = 0;
  /** Every response waits for it. */
  hold: Promise<unknown> | undefined;
  /** Runs before the response to a quote request. */
  meanwhile: (() => Promise<unknown>) | undefined;
  services: object[] = [
    { code: 'next-day', price: { amount: 2500, currency: 'RON' }, etaMinDays: 1, etaMaxDays: 1 },
    { code: 'economy', price: { amount: 1500, currency: 'RON' }, etaMinDays: 2, etaMaxDays: 4 },
  ];
  private readonly server: Server = createServer((req, res) => void this.answer(req, res));
  private readonly byKey = new Map<string, string>();
  private count = 0;

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/v1`;
  }
  /** Shipment requests. */
  shipmentRequests(): Call[] {
    return this.calls.filter(({ method, path }) => method === 'POST' && path === '/api/v1/shipments');
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const call = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body: text ? JSON.parse(text) : {} };
    this.calls.push(call);
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    await this.hold;
    const { fault } = this;
    if (fault === 'hang') return;
    if (typeof fault === 'object') return send(res, fault.status, fault.body);
    const path = call.path.replace('/api/v1', '');
    if (path === '/quotes') {
      await this.meanwhile?.();
      return send(res, 200, { services: this.services });
    }
    if (path === '/shipments') {
      const created = this.ship(String(req.headers['idempotency-key']));
      if (fault === 'lost') return void res.destroy();
      return send(res, 201, created);
    }
    const [, awbNumber = '', what] = /^\/shipments\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const shipment = this.shipments.get(awbNumber);
    if (!shipment) return send(res, 404, { message: 'unknown shipment' });
    if (call.method === 'DELETE') {
      shipment.cancelled = true;
      return send(res, 200, {});
    }
    if (what === 'label') return void res.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
    return send(res, 200, { events: shipment.events });
  }
  private ship(key: string): object {
    const awbNumber = this.byKey.get(key) ?? `A${String(++this.count).padStart(8, '0')}`;
    this.byKey.set(key, awbNumber);
    if (!this.shipments.has(awbNumber)) this.shipments.set(awbNumber, { key, cancelled: false, events: [] });
    return { awbNumber, price: { amount: 1720, currency: 'RON' } };
  }
}
function send(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

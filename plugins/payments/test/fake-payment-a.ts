import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeBank, type FakeResponse, json } from './fake-bank.ts';

export interface FakeCall {
  method: string;
  path: string;
  key: string | undefined;
  form: Record<string, string>;
  /** The idempotency key was known: nothing was executed. */
  replayed: boolean;
}
export interface FakeFault {
  /** Path prefix. */
  path: string;
  method?: 'GET' | 'POST';
  /** Number of calls; default 1. */
  times?: number;
  /** Delay in milliseconds before the execution. */
  delay?: number;
  /** Delays the response until this promise resolves. */
  linger?: Promise<unknown>;
  /** Responds with this without executing the call. */
  status?: number;
  body?: unknown;
  /** Executes the call, and closes the connection without a response. */
  cut?: boolean;
}

const account = 'acct_test';
const secret = 'whsec_test_of_the_fake_provider';

/**
 * A payment provider on loopback with the API shape of payment-a: payment intents, hosted sessions, captures, refunds, idempotency
 * keys. Records every call, can be slow, refuse or disconnect, and sends signed events.
 */
export class FakePaymentA extends FakeBank {
  readonly account = account;
  readonly webhookSecret = secret;
  readonly calls: FakeCall[] = [];
  private readonly responses = new Map<string, FakeResponse>();
  private readonly running = new Set<string>();
  private readonly faults: FakeFault[] = [];
  private readonly server: Server;
  private events = 0;

  constructor() {
    super();
    this.server = createServer((req, res) => {
      this.serve(req).then(
        (response) => {
          if (response === 'cut') return req.socket.destroy();
          res.writeHead(response.status, { 'content-type': 'application/json' }).end(response.text);
        },
        (error: Error) =>
          res.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ error: error.message })),
      );
    });
  }
  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
  /** Config of a payment method for the fake. */
  config(more: Record<string, string> = {}): Record<string, string> {
    return { apiUrl: this.url, accountId: account, secretKey: 'sk_test_of_the_fake', webhookSecret: secret, ...more };
  }
  fault(fault: FakeFault): void {
    this.faults.push({ ...fault });
  }
  /** Executed calls, by path. */
  done(path: RegExp): FakeCall[] {
    return this.calls.filter((call) => call.method === 'POST' && !call.replayed && path.test(call.path));
  }

  // Events.
  event(type: string, object: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      id: `evt_${++this.events}_${randomBytes(6).toString('hex')}`,
      object: 'event',
      account,
      type,
      data: { object },
      ...more,
    };
  }
  eventOf(type: string, ref: string): Record<string, unknown> {
    const intent = this.intentOf(ref);
    return this.event(type, { object: 'payment_intent', id: intent.id, metadata: intent.metadata });
  }
  sign(raw: string, at = Math.floor(Date.now() / 1000), key: string = secret): Record<string, string> {
    const v1 = createHmac('sha256', key).update(`${at}.${raw}`).digest('hex');
    return { 'stripe-signature': `t=${at},v1=${v1}` };
  }

  private async serve(req: IncomingMessage): Promise<FakeResponse | 'cut'> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const url = new URL(req.url ?? '/', this.url);
    const method = req.method ?? 'GET';
    const sent = new URLSearchParams(method === 'GET' ? url.search : Buffer.concat(chunks).toString('utf8'));
    const form = Object.fromEntries(sent);
    const header = req.headers['idempotency-key'];
    const key = typeof header === 'string' ? header : undefined;
    const known = key !== undefined && this.responses.has(key);
    this.calls.push({ method, path: url.pathname, key, form, replayed: known });
    if (req.headers.authorization !== 'Bearer sk_test_of_the_fake')
      return json(401, { error: { type: 'invalid_request_error', code: 'api_key_invalid' } });
    if (key !== undefined && this.running.has(key)) return json(409, { error: { code: 'idempotency_key_in_use' } });
    const fault = this.faults.find((one) => url.pathname.startsWith(one.path) && (one.method ?? method) === method);
    if (fault && (fault.times = (fault.times ?? 1) - 1) <= 0) this.faults.splice(this.faults.indexOf(fault), 1);
    if (key !== undefined) this.running.add(key);
    try {
      if (fault?.delay) await new Promise((resolve) => setTimeout(resolve, fault.delay));
      if (fault?.status) return json(fault.status, fault.body ?? { error: { type: 'api_error' } });
      const stored = key === undefined ? undefined : this.responses.get(key);
      const response = stored ?? this.work(method, url.pathname, form);
      if (key !== undefined && response.status < 500) this.responses.set(key, response);
      await fault?.linger;
      return fault?.cut ? 'cut' : response;
    } finally {
      if (key !== undefined) this.running.delete(key);
    }
  }
}

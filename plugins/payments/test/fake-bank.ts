import { randomBytes } from 'node:crypto';

/** A payment intent inside the fake, in the provider's own minor units. */
export interface FakeIntent {
  id: string;
  amount: number;
  currency: string;
  capture: 'automatic' | 'manual';
  status: string;
  capturable: number;
  received: number;
  error: { code: string } | null;
  metadata: Record<string, string>;
  customer: string | null;
  multicapture: boolean;
  refunds: { id: string; amount: number; status: string; metadata: Record<string, string> }[];
}
export interface FakeSession {
  id: string;
  status: 'open' | 'complete' | 'expired';
  intent: FakeIntent;
  begun: boolean;
}
export interface FakeResponse {
  status: number;
  text: string;
}

/** State and API of the fake provider: captured, authorised and refunded amounts. */
export class FakeBank {
  readonly intents = new Map<string, FakeIntent>();
  readonly sessions = new Map<string, FakeSession>();
  /** Base URL of its hosted pages. */
  url = '';
  /** Whether cards allow several captures. */
  multicapture = true;
  /** Outcome of charging a saved instrument. */
  instrumentOutcome: 'succeeds' | 'declines' = 'succeeds';
  /** Initial status of a refund; the bank may settle it later. */
  refundBegins: 'succeeded' | 'pending' = 'succeeded';

  // Actions of the buyer.
  intentOf(ref: string): FakeIntent {
    const intent = this.intents.get(ref) ?? this.sessions.get(ref)?.intent;
    if (!intent) throw new Error(`the fake knows no ${ref}`);
    return intent;
  }
  pay(ref: string): FakeIntent {
    const intent = this.intentOf(ref);
    const session = this.sessions.get(ref);
    if (session) {
      if (session.status !== 'open') throw new Error('the page is closed');
      session.begun = true;
      session.status = 'complete';
    }
    intent.error = null;
    if (intent.capture === 'manual') {
      intent.status = 'requires_capture';
      intent.capturable = intent.amount;
    } else {
      intent.status = 'succeeded';
      intent.received = intent.amount;
    }
    return intent;
  }
  decline(ref: string, code = 'card_declined'): void {
    const intent = this.intentOf(ref);
    const session = this.sessions.get(ref);
    if (session) session.begun = true;
    intent.status = 'requires_payment_method';
    intent.error = { code };
  }
  /** Expires the authorisation or the hosted page. */
  expire(ref: string): void {
    const session = this.sessions.get(ref);
    if (session?.status === 'open') session.status = 'expired';
    else this.cancel(this.intentOf(ref));
  }
  /** Creates a refund at the provider. */
  refundThere(ref: string, amount: number): void {
    this.intentOf(ref).refunds.push({ id: this.id('re'), amount, status: 'succeeded', metadata: {} });
  }
  /** Settles a pending refund. */
  endRefund(id: string, status: 'succeeded' | 'failed'): void {
    for (const intent of this.intents.values()) for (const refund of intent.refunds) if (refund.id === id) refund.status = status;
  }

  private id(prefix: string): string {
    return `${prefix}_${randomBytes(9).toString('hex')}`;
  }

  work(method: string, path: string, form: Record<string, string>): FakeResponse {
    const [, , kind, id, verb] = path.split('/');
    if (kind === 'customers') return json(200, { id: this.id('cus') });
    if (kind === 'refunds') return this.refund(form);
    if (kind === 'checkout') return this.session(method, path.split('/')[4], path.split('/')[5], form);
    if (kind !== 'payment_intents') return json(404, { error: { code: 'resource_missing' } });
    if (id === undefined) return this.open(form);
    const intent = this.intents.get(id);
    if (!intent) return json(404, { error: { code: 'resource_missing' } });
    if (verb === 'capture') return this.capture(intent, form);
    if (verb === 'cancel') {
      if (intent.status === 'succeeded' || intent.status === 'canceled')
        return json(400, { error: { code: 'payment_intent_unexpected_state' } });
      this.cancel(intent);
    }
    return json(200, this.show(intent));
  }
  private cancel(intent: FakeIntent): void {
    intent.status = 'canceled';
    intent.capturable = 0;
  }
  private make(amount: number, currency: string, capture: string | undefined, metadata: Record<string, string>): FakeIntent {
    const intent: FakeIntent = {
      id: this.id('pi'),
      amount,
      currency,
      capture: capture === 'manual' ? 'manual' : 'automatic',
      status: 'requires_payment_method',
      capturable: 0,
      received: 0,
      error: null,
      metadata,
      customer: null,
      multicapture: this.multicapture,
      refunds: [],
    };
    this.intents.set(intent.id, intent);
    return intent;
  }
  private open(form: Record<string, string>): FakeResponse {
    const intent = this.make(Number(form.amount), form.currency ?? '', form.capture_method, members(form, 'metadata'));
    intent.customer = form.customer ?? null;
    if (form.confirm === 'true') {
      if (this.instrumentOutcome === 'succeeds') this.pay(intent.id);
      else {
        this.decline(intent.id, 'insufficient_funds');
        return json(402, {
          error: {
            type: 'card_error',
            code: 'card_declined',
            decline_code: 'insufficient_funds',
            payment_intent: this.show(intent),
          },
        });
      }
    }
    return json(200, this.show(intent));
  }
  private session(method: string, id: string | undefined, verb: string | undefined, form: Record<string, string>): FakeResponse {
    if (id === undefined && method === 'POST') {
      const data = members(form, 'payment_intent_data');
      const amount = Number(form['line_items[0][price_data][unit_amount]']);
      const intent = this.make(
        amount,
        form['line_items[0][price_data][currency]'] ?? '',
        data.capture_method,
        members(form, 'payment_intent_data[metadata]'),
      );
      if (form.customer_creation === 'always') intent.customer = this.id('cus');
      const created: FakeSession = { id: this.id('cs'), status: 'open', intent, begun: false };
      this.sessions.set(created.id, created);
      return json(200, this.showSession(created));
    }
    const session = this.sessions.get(id ?? '');
    if (!session) return json(404, { error: { code: 'resource_missing' } });
    if (verb === 'expire') {
      if (session.status !== 'open') return json(400, { error: { code: 'session_not_open' } });
      session.status = 'expired';
    }
    return json(200, this.showSession(session));
  }
  private capture(intent: FakeIntent, form: Record<string, string>): FakeResponse {
    const amount = Number(form.amount_to_capture);
    const final = form.final_capture !== 'false';
    if (intent.status !== 'requires_capture') return json(400, { error: { code: 'payment_intent_unexpected_state' } });
    if (amount > intent.capturable || (!final && !intent.multicapture)) return json(400, { error: { code: 'amount_too_large' } });
    intent.received += amount;
    intent.capturable = final ? 0 : intent.capturable - amount;
    if (final || intent.capturable === 0) intent.status = 'succeeded';
    return json(200, this.show(intent));
  }
  private refund(form: Record<string, string>): FakeResponse {
    const intent = this.intents.get(form.payment_intent ?? '');
    if (!intent) return json(404, { error: { code: 'resource_missing' } });
    const amount = Number(form.amount);
    const given = intent.refunds.filter((one) => one.status !== 'failed').reduce((sum, one) => sum + one.amount, 0);
    if (amount > intent.received - given) return json(400, { error: { code: 'charge_already_refunded' } });
    const refund = { id: this.id('re'), amount, status: this.refundBegins, metadata: members(form, 'metadata') };
    intent.refunds.push(refund);
    return json(200, refund);
  }
  private show(intent: FakeIntent): Record<string, unknown> {
    const paid = intent.capturable + intent.received > 0;
    return {
      object: 'payment_intent',
      id: intent.id,
      amount: intent.amount,
      amount_capturable: intent.capturable,
      amount_received: intent.received,
      currency: intent.currency,
      status: intent.status,
      client_secret: `${intent.id}_secret`,
      customer: intent.customer,
      next_action: null,
      last_payment_error: intent.error,
      metadata: intent.metadata,
      payment_method: paid
        ? { id: `pm_of_${intent.id}`, card: { brand: 'visa', last4: '4242', exp_month: 4, exp_year: 2031 } }
        : null,
      latest_charge: paid
        ? {
            refunds: { data: intent.refunds },
            payment_method_details: { card: { multicapture: { status: intent.multicapture ? 'available' : 'unavailable' } } },
          }
        : null,
    };
  }
  private showSession(session: FakeSession): Record<string, unknown> {
    const { intent } = session;
    return {
      object: 'checkout.session',
      id: session.id,
      status: session.status,
      amount_total: intent.amount,
      currency: intent.currency,
      url: session.status === 'open' ? `${this.url}/pay/${session.id}` : null,
      payment_intent: session.begun ? this.show(intent) : null,
      metadata: intent.metadata,
    };
  }
}

export function json(status: number, value: unknown): FakeResponse {
  return { status, text: JSON.stringify(value) };
}

/** Reads `a[b]=c` as `{b: c}` of `a`, one level. */
function members(form: Record<string, string>, prefix: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(form)) {
    const rest = name.startsWith(`${prefix}[`) ? name.slice(prefix.length) : '';
    const match = /^\[(\w+)\]$/.exec(rest);
    if (match?.[1]) found[match[1]] = value;
  }
  return found;
}

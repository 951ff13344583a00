import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';

/** The trace that work belongs to, by W3C Trace Context. */
export interface Trace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Of the caller's `traceparent`; what begins here is not sampled by anybody. */
  readonly flags: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads `traceparent`; undefined where it is missing or malformed. A later version may have more parts behind the four. */
export function readTraceparent(header: unknown): Trace | undefined {
  const match = typeof header === 'string' ? form.exec(header) : null;
  if (!match) return undefined;
  const [, version, traceId, parentId, flags, more] = match as unknown as [string, string, string, string, string, string?];
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, flags };
}

/** Known when somebody asks: most work is over before that. */
class Span {
  readonly #header: unknown;
  #trace: Trace | undefined;
  constructor(header: unknown) {
    this.#header = header;
  }
  get trace(): Trace {
    // A UUID is taken from a stock of random bytes: a tenth of the time.
    this.#trace ??= readTraceparent(this.#header) ?? { traceId: randomUUID().replaceAll('-', ''), flags: '00' };
    return this.#trace;
  }
}
const current = new AsyncLocalStorage<Span>();

/** Runs work in the trace that `traceparent` names, or in a new one where that can't be read. */
export function inTrace<T>(traceparent: unknown, work: () => T): T {
  return current.run(new Span(traceparent), work);
}
export function traceId(): string | undefined {
  return current.getStore()?.trace.traceId;
}
/** `traceparent` for what the present work calls or leaves to others. */
export function traceparent(): string | undefined {
  const trace = current.getStore()?.trace;
  return trace && `00-${trace.traceId}-${randomBytes(8).toString('hex')}-${trace.flags}`;
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';

/** The trace of a unit of work (W3C Trace Context). */
export interface Trace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Flags of the caller's `traceparent`; a trace that begins here is not sampled. */
  readonly flags: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses `traceparent`; undefined if it is missing or malformed. A later version can have more than four parts. */
export function readTraceparent(header: unknown): Trace | undefined {
  const match = typeof header === 'string' ? form.exec(header) : null;
  if (!match) return undefined;
  const [, version = '', traceId = '', parentId = '', flags = '', more] = match;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, flags };
}

/** Created on first use, since most units of work don't need it. */
class Span {
  readonly #header: unknown;
  #trace: Trace | undefined;
  constructor(header: unknown) {
    this.#header = header;
  }
  get trace(): Trace {
    // A UUID uses buffered random bytes and takes a tenth of the time.
    this.#trace ??= readTraceparent(this.#header) ?? { traceId: randomUUID().replaceAll('-', ''), flags: '00' };
    return this.#trace;
  }
}
const current = new AsyncLocalStorage<Span>();

/** Runs work in the trace of `traceparent`, or in a new one if it isn't valid. */
export function inTrace<T>(traceparent: unknown, work: () => T): T {
  return current.run(new Span(traceparent), work);
}
export function traceId(): string | undefined {
  return current.getStore()?.trace.traceId;
}
/** Returns the `traceparent` for outgoing requests and jobs of the current unit of work. */
export function traceparent(): string | undefined {
  const trace = current.getStore()?.trace;
  return trace && `00-${trace.traceId}-${randomBytes(8).toString('hex')}-${trace.flags}`;
}

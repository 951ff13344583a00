import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Milliseconds for which a tenant counts as active after its last unit of work. */
const activeMs = 1000;
const sampleMs = 100;
/** Share of the time in which the event loop has work to do. */
const busyShare = 0.5;

/** Tells whether tenants compete for this process, so that one with much work must leave room for the others. */
export class Contention {
  /** The tenant that was last active, and the last one before it that is another. */
  private latest = { tenantId: '', at: Number.NEGATIVE_INFINITY };
  private other = this.latest;
  private readonly measure: () => EventLoopUtilization;
  private sampled: EventLoopUtilization;
  private sampledAt = performance.now();
  private isBusy = false;

  constructor(measure: () => EventLoopUtilization = () => performance.eventLoopUtilization()) {
    this.measure = measure;
    this.sampled = measure();
  }
  /** Records that a tenant has work. */
  note(tenantId: string): void {
    const at = performance.now();
    if (this.latest.tenantId !== tenantId) this.other = this.latest;
    this.latest = { tenantId, at };
  }
  /** Returns true if the event loop is busy and another tenant was active within the last second. */
  affects(tenantId: string): boolean {
    const now = performance.now();
    const { at } = this.latest.tenantId === tenantId ? this.other : this.latest;
    if (now - at > activeMs) return false;
    if (now - this.sampledAt >= sampleMs) {
      const next = this.measure();
      const active = next.active - this.sampled.active;
      this.isBusy = active / (active + next.idle - this.sampled.idle) > busyShare;
      this.sampled = next;
      this.sampledAt = now;
    }
    return this.isBusy;
  }
}

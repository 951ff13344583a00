/**
 * External calls of a unit of work (`ctx.withoutTransaction`). No transaction stays open during a call: the unit of work is rolled back, the
 * pending calls run in parallel, and it runs again with their results.
 */
export class ExternalCalls {
  private readonly results = new Map<string, unknown>();
  private readonly pending = new Map<string, () => Promise<unknown>>();

  /** Returns the result of a finished call. @throws ExternalCallPending for a new one */
  get(key: string, run: () => Promise<unknown>): unknown {
    if (this.results.has(key)) return this.results.get(key);
    this.pending.set(key, run);
    throw new ExternalCallPending();
  }
  /** Returns true if a call is pending, also if its caller caught ExternalCallPending. */
  get hasPending(): boolean {
    return this.pending.size > 0;
  }
  /** Forgets the pending calls of work that was rolled back and is done elsewhere. */
  dropPending(): void {
    this.pending.clear();
  }
  /** Runs the pending calls in parallel. */
  async runPending(): Promise<void> {
    const calls = [...this.pending];
    this.pending.clear();
    for (const [key, result] of await Promise.all(calls.map(async ([key, run]) => [key, await run()] as const)))
      this.results.set(key, result);
  }
}

/** Ends an attempt of a unit of work that must make an external call first. */
export class ExternalCallPending extends Error {
  constructor() {
    super('the unit of work runs again after the external call');
    this.name = 'ExternalCallPending';
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type BatchResult, runBatch, type Statement } from './batch.ts';
import { cancelStatement } from './cancel.ts';

/** Milliseconds after which an unanswered batch is cancelled: most statements take less than a cancellation. */
const grace = 50;
/** Cancellations of a batch: a proxy may drop them, and then the statement ends at its own time limit. */
const attempts = 3;

interface Sent<W> {
  readonly waiting: readonly W[];
  readonly ended: Promise<unknown>;
}

/** The batches that a session has sent to its connection and that aren't answered yet. */
export class SentBatches<W extends { statement: Statement }> {
  private readonly client: pg.PoolClient;
  private readonly sent = new Set<Sent<W>>();
  /** While batches are being cancelled nothing is sent, so that the cancellation hits no other statement. */
  private cancelling: Promise<void> | undefined;
  private isUncertain = false;

  constructor(client: pg.PoolClient) {
    this.client = client;
  }
  get isEmpty(): boolean {
    return this.sent.size === 0;
  }
  /** True if a cancellation can still hit a later statement of the connection. */
  get hasLateCancellation(): boolean {
    return this.isUncertain;
  }
  /** Resolves when statements may be sent; undefined if they may be sent now. */
  get blocked(): Promise<void> | undefined {
    return this.cancelling;
  }
  async send(waiting: readonly W[]): Promise<{ results: BatchResult[]; error: Error | null }> {
    const answer = runBatch(
      this.client,
      waiting.map(({ statement }) => statement),
    );
    const batch: Sent<W> = { waiting, ended: answer };
    this.sent.add(batch);
    try {
      return await answer;
    } finally {
      this.sent.delete(batch);
    }
  }
  /** Returns true if at least one unanswered statement matches `some`, and all match `every`. */
  hold({ some, every }: { some(waiting: W): boolean; every(waiting: W): boolean }): boolean {
    const waiting = [...this.sent].flatMap((batch) => batch.waiting);
    return waiting.some(some) && waiting.every(every);
  }
  /** Ends the unanswered batches: cancels one that doesn't end soon, as it may wait for a lock. */
  cancel(): Promise<void> {
    this.cancelling ??= this.cancelAll().finally(() => {
      this.cancelling = undefined;
    });
    return this.cancelling;
  }
  private async cancelAll(): Promise<void> {
    for (const batch of this.sent) {
      for (let i = 0; i < attempts; i++) {
        if (await Promise.race([batch.ended.then(() => true), sleep(grace * 2 ** i, false)])) break;
        if (!(await cancelStatement(this.client))) this.isUncertain = true;
      }
      await batch.ended;
    }
  }
}

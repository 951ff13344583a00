import { AsyncLocalStorage } from 'node:async_hooks';

/** A savepoint that a session has set for a frame. */
export interface Savepoint {
  /** Waits for the pending statements of the frame; undefined if there are none. */
  release(): Promise<void> | undefined;
  /** Rejects the unsent statements of the frame with `reason`, and rolls back the others before the next statement. */
  rollback(reason: Error): void;
}

const frames = new AsyncLocalStorage<Frame>();

/**
 * A section of a unit of work that can be closed and rolled back separately: a savepoint, a tap, the taps of one hook call. It includes all
 * asynchronous work that begins inside it, also in services and contexts of other plugins.
 */
export class Frame {
  readonly parent: Frame | undefined;
  /** True if a failure rolls back the writes inside. */
  readonly undoable: boolean;
  /** True if the entity manager ran a statement in it: after a rollback, its entities can be stale. */
  usedEntities = false;
  private readonly savepoints: Savepoint[] = [];
  private reason: Error | undefined;
  private controller: AbortController | undefined;
  private abortSignal: AbortSignal | undefined;
  private undos: (() => void)[] = [];

  constructor({ undoable, parent = frames.getStore() }: { undoable: boolean; parent?: Frame | undefined }) {
    this.undoable = undoable;
    this.parent = parent;
  }
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    return frames.run(this, fn, ...args);
  }
  isWithin(ancestor: Frame | undefined): boolean {
    for (let frame: Frame | undefined = this; frame; frame = frame.parent) if (frame === ancestor) return true;
    return ancestor === undefined;
  }
  /** @throws the reason for which this frame or one around it was closed */
  assertOpen(): void {
    for (let frame: Frame | undefined = this; frame; frame = frame.parent) if (frame.reason) throw frame.reason;
  }
  /** A session has set a savepoint for this frame. */
  attach(savepoint: Savepoint): void {
    this.savepoints.push(savepoint);
  }
  /** Returns a signal that aborts with `outer`, or when this frame or an outer one is closed. */
  signal(outer: AbortSignal): AbortSignal {
    if (!this.abortSignal) {
      this.controller = new AbortController();
      if (this.reason) this.controller.abort(this.reason);
      this.abortSignal = AbortSignal.any([this.parent?.signal(outer) ?? outer, this.controller.signal]);
    }
    return this.abortSignal;
  }
  /** Registers a function that reverts an in-memory change. Outer frames run it too. */
  onUndo(undo: () => void): void {
    if (this.undoable) this.undos.push(undo);
    else this.parent?.onUndo(undo);
  }
  /** Completes the frame. Returns undefined if there is nothing to await. Rejects if a pending statement failed: then call `fail`. */
  complete(): Promise<void> | undefined {
    const released = this.savepoints.map((savepoint) => savepoint.release()).filter((release) => release !== undefined);
    if (released.length === 0) return this.passOn();
    return Promise.all(released).then(() => this.passOn());
  }
  private passOn(): undefined {
    for (const undo of this.undos.splice(0)) this.parent?.onUndo(undo);
  }
  /** Closes the frame with `reason`, and rolls it back if it is undoable. */
  fail(reason: Error): void {
    this.reason ??= reason;
    this.controller?.abort(reason);
    for (const savepoint of this.savepoints) savepoint.rollback(reason);
    for (const undo of this.undos.splice(0).reverse()) undo();
  }
}

export const currentFrame = (): Frame | undefined => frames.getStore();

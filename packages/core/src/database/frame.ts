import { AsyncLocalStorage } from 'node:async_hooks';

/** A savepoint that a session has set for a frame. */
export interface Savepoint {
  /** Waits for statements of the frame whose outcome isn't known yet; undefined where there are none. */
  release(): Promise<void> | undefined;
  /** Drops statements of the frame that weren't sent, with `reason`, and undoes the others before the next statement runs. */
  rollback(reason: Error): void;
}

const frames = new AsyncLocalStorage<Frame>();

/**
 * A section of a unit of work that can be closed and undone without the rest: a savepoint, a tap, the taps of one hook call. All
 * asynchronous work that begins inside it belongs to it, also through services and contexts of other plugins.
 */
export class Frame {
  readonly parent: Frame | undefined;
  /** What is written inside is undone where the frame fails. */
  readonly undoable: boolean;
  /** The entity manager ran a statement in it: where it is undone, entities may hold what isn't there any more. */
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
  /** Aborted with `outer`, or when this frame or one around it is closed. */
  signal(outer: AbortSignal): AbortSignal {
    if (!this.abortSignal) {
      this.controller = new AbortController();
      if (this.reason) this.controller.abort(this.reason);
      this.abortSignal = AbortSignal.any([this.parent?.signal(outer) ?? outer, this.controller.signal]);
    }
    return this.abortSignal;
  }
  /** Adds what undoes a change of this process's memory. Frames around it run it too. */
  onUndo(undo: () => void): void {
    if (this.undoable) this.undos.push(undo);
    else this.parent?.onUndo(undo);
  }
  /** Keeps what the frame did. Undefined where nothing is to be awaited. Rejects where a late statement failed: then call `fail`. */
  complete(): Promise<void> | undefined {
    const released = this.savepoints.map((savepoint) => savepoint.release()).filter((release) => release !== undefined);
    if (released.length === 0) return this.passOn();
    return Promise.all(released).then(() => this.passOn());
  }
  private passOn(): undefined {
    for (const undo of this.undos.splice(0)) this.parent?.onUndo(undo);
  }
  /** Refuses all further work of the frame with `reason`, and undoes what an undoable one did. */
  fail(reason: Error): void {
    this.reason ??= reason;
    this.controller?.abort(reason);
    for (const savepoint of this.savepoints) savepoint.rollback(reason);
    for (const undo of this.undos.splice(0).reverse()) undo();
  }
}

export const currentFrame = (): Frame | undefined => frames.getStore();

import type { Session } from '@storeloom/data';
import { Frame } from '@storeloom/data';
import type { Scope } from '../context/scope.ts';
import { Deadline } from './deadline.ts';
import type { Observers } from './observers.ts';
import type { CalledHook } from './tap.ts';

/** One call of a hook: what its taps share. */
export class RunningCall {
  readonly scope: Scope;
  readonly deadline: Deadline;
  readonly observers: Observers | undefined;
  /** What the taps of a `collect` hook gave. */
  readonly items: unknown[] = [];
  readonly session: Session | undefined;
  /** A tap that fails is undone: each has a frame of its own. */
  readonly isolated: boolean;
  /** Of all taps that have none of their own. One that misses its deadline closes it; the next taps run in a new one. */
  frame: Frame;
  private readonly parent: Frame | undefined;

  constructor(hook: CalledHook, scope: Scope, observers: Observers | undefined) {
    this.scope = scope;
    this.deadline = new Deadline(hook.deadline);
    this.observers = observers;
    this.session = scope.tx?.session;
    this.isolated = hook.policy === 'skip' && this.session !== undefined;
    this.frame = new Frame({ undoable: false });
    this.parent = this.frame.parent;
  }
  renewFrame(): Frame {
    this.frame = new Frame({ undoable: false, parent: this.parent });
    return this.frame;
  }
  /** Keeps what a tap did. Returns undefined if there is nothing to await. */
  complete(frame: Frame): Promise<void> | undefined {
    return this.isolated ? this.session?.complete(frame) : undefined;
  }
  /** Closes a frame, and undoes what it did where it can be undone. */
  fail(frame: Frame, reason: Error): void {
    if (this.session) this.session.fail(frame, reason);
    else frame.fail(reason);
  }
}

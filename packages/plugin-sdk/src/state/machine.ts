import type { Ctx } from '../context.ts';
import type { Shape } from '../field.ts';
import { Problem } from '../problem.ts';

/** A transition of a state machine. */
export interface Move<S extends string, Row> {
  /** States in which it is allowed. */
  readonly from: readonly S[];
  /** State after it. */
  readonly to: S;
  /** Fields of the request body. */
  readonly input?: Shape;
  /** Default `POST /{id}/<transition>`; false: requested by PATCH `status`, or only by code with `internal`. */
  readonly route?: string | false;
  /** True: made by code only, never by a request. */
  readonly internal?: boolean;
  /** Last part of the permission. Default: the name of the transition. */
  readonly permission?: string;
  /** Summary of the route for OpenAPI. */
  readonly summary?: string;
  /** Throws a problem if the transition isn't possible. Runs under the row lock. */
  guard?(ctx: Ctx, row: Row, input: Record<string, unknown>): Promise<void> | void;
  /** Applies the effects, once for each transition; the returned values are written to the row with the new state. */
  run?(
    ctx: Ctx,
    row: Row,
    input: Record<string, unknown>,
  ): Promise<Record<string, unknown> | void> | Record<string, unknown> | void;
}
/** Definition of a state machine. */
export interface MachineOptions<S extends string, Row> {
  /** State of a new row. */
  readonly start: S;
  /** All states. */
  readonly states: readonly S[];
  /** Transitions by name. */
  readonly moves: Readonly<Record<string, Move<S, Row>>>;
}

/**
 * A state machine. A transition that isn't allowed is 409 `invalid_transition {from, to, allowed}`; a transition to the current
 * state has no effect.
 */
export interface Machine<S extends string = string, Row = Record<string, unknown>> extends MachineOptions<S, Row> {
  /** Returns the states that can be reached from a state. */
  allowed(from: S): S[];
  /** Returns `move`, or `repeat` if the row is in the state already; throws 409 `invalid_transition` otherwise. */
  check(from: S, to: S): 'move' | 'repeat';
  /** Returns the name of the transition between two states; undefined if there is none. */
  moveTo(from: S, to: S): string | undefined;
}

/**
 * Defines a state machine for `resource({ machine })`.
 *
 * @throws Error for a transition with an unknown state
 */
export function defineMachine<const S extends string, Row = Record<string, unknown>>(
  options: MachineOptions<S, Row>,
): Machine<S, Row> {
  const states = new Set<string>(options.states);
  if (!states.has(options.start)) throw new Error(`the start state ${options.start} is not one of the states`);
  for (const [name, move] of Object.entries<Move<S, Row>>(options.moves)) {
    for (const state of [...move.from, move.to])
      if (!states.has(state)) throw new Error(`the transition ${name} has the unknown state ${state}`);
  }
  const moves = Object.entries<Move<S, Row>>(options.moves);
  const allowed = (from: S): S[] => [...new Set(moves.filter(([, move]) => move.from.includes(from)).map(([, move]) => move.to))];
  return Object.freeze({
    ...options,
    allowed,
    check(from: S, to: S): 'move' | 'repeat' {
      if (from === to) return 'repeat';
      if (allowed(from).includes(to)) return 'move';
      throw invalidTransition(from, to, allowed(from));
    },
    moveTo(from: S, to: S): string | undefined {
      return moves.find(([, move]) => move.to === to && move.from.includes(from))?.[0];
    },
  });
}

/** Returns the 409 `invalid_transition {from, to, allowed}` of a transition that isn't allowed. */
export function invalidTransition(from: string, to: string, allowed: readonly string[]): Problem {
  const reach = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}.` : 'This state is final.';
  return new Problem('invalid_transition', {
    detail: `The status can't change from ${from} to ${to}. ${reach}`,
    from,
    to,
    allowed: [...allowed],
  });
}

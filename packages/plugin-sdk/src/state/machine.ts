import type { Ctx } from '../context.ts';
import type { Shape } from '../field.ts';
import { Problem } from '../problem.ts';

export interface Move<S extends string, Row> {
  readonly from: readonly S[];
  readonly to: S;
  /** Fields of the action's body. */
  readonly input?: Shape;
  /** Default `POST /{id}/<move>`; false: asked for by PATCH `status`, or made by code only when `internal`. */
  readonly route?: string | false;
  /** Never asked for from outside. */
  readonly internal?: boolean;
  /** Last part of the permission. Default: the move's name. */
  readonly permission?: string;
  readonly summary?: string;
  /** Throws a problem when the world forbids the move. Runs under the row lock. */
  guard?(ctx: Ctx, row: Row, input: Record<string, unknown>): Promise<void> | void;
  /** The effects; what it returns is written to the row with the new status. Runs once a move. */
  run?(
    ctx: Ctx,
    row: Row,
    input: Record<string, unknown>,
  ): Promise<Record<string, unknown> | void> | Record<string, unknown> | void;
}
export interface MachineOptions<S extends string, Row> {
  readonly start: S;
  readonly states: readonly S[];
  readonly moves: Readonly<Record<string, Move<S, Row>>>;
}

/** A declarative state machine: an illegal move is 409 `invalid_transition {from, to, allowed}`; into the present state: no second effect. */
export interface Machine<S extends string = string, Row = Record<string, unknown>> extends MachineOptions<S, Row> {
  /** States that can be reached from `from`. */
  allowed(from: S): S[];
  /** `move`, `repeat` (already there), or throws. */
  check(from: S, to: S): 'move' | 'repeat';
  /** The name of the move from → to, if there is one. */
  moveTo(from: S, to: S): string | undefined;
}

export function defineMachine<const S extends string, Row = Record<string, unknown>>(
  options: MachineOptions<S, Row>,
): Machine<S, Row> {
  const states = new Set<string>(options.states);
  if (!states.has(options.start)) throw new Error(`the start state ${options.start} is not among the states`);
  for (const [name, move] of Object.entries<Move<S, Row>>(options.moves)) {
    for (const state of [...move.from, move.to])
      if (!states.has(state)) throw new Error(`move ${name} names the unknown state ${state}`);
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

export function invalidTransition(from: string, to: string, allowed: readonly string[]): Problem {
  const reach = allowed.length > 0 ? `From there it can go to ${allowed.join(', ')}.` : 'That state is final.';
  return new Problem('invalid_transition', {
    detail: `It is ${from} and can't become ${to}. ${reach}`,
    from,
    to,
    allowed: [...allowed],
  });
}

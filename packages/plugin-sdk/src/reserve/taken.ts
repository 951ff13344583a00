import { constraintOf } from '../data/errors.ts';
import type { Problem } from '../problem.ts';

/**
 * Runs a write and converts the violation of a constraint (23505 unique, 23P01 exclusion) to a problem:
 * `mapConstraintErrors({ [slots.constraint]: () => problem('slot_taken') }, () => ctx.rows(session).insert(row))`. Other errors
 * are thrown unchanged. The transaction has failed by then; to continue, run the write in `ctx.savepoint`.
 *
 * Deadlocks and serialisation failures need no handling: the unit of work is repeated, and answered with 409 `conflict` in the
 * end.
 */
export async function mapConstraintErrors<T>(
  answers: Readonly<Record<string, () => Problem>>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const known = constraintOf(error);
    if ((known?.sqlstate === '23505' || known?.sqlstate === '23P01') && known.constraint !== undefined) {
      const answer = Object.hasOwn(answers, known.constraint) ? answers[known.constraint] : undefined;
      if (answer) throw answer();
    }
    throw error;
  }
}

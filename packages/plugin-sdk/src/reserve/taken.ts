import { constraintOf } from '../data/errors.ts';
import type { Problem } from '../problem.ts';

/**
 * Runs a write that one of the named constraints may refuse (23505 of a key, 23P01 of an exclusion) and gives its answer instead:
 * `mapConstraintErrors({ [slots.constraint]: () => problem('slot_taken') }, () => ctx.rows(session).insert(row))`. Everything else passes.
 * The transaction is spoilt by then; to go on with something else run the write in `ctx.savepoint`.
 *
 * Deadlocks and serialisation failures need nothing here: the unit of work repeats them by itself, and gives 409 `conflict` in the end.
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

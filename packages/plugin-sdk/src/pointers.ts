import { Problem } from './problem.ts';

/**
 * Runs `fn`; a problem that it throws gets other pointers in `errors[]`, those of the body that the caller sent. For a function that
 * validates a part of a body, or under other names.
 *
 * @param rename the new pointer, or a prefix for all of them (`/lines/0/data`)
 */
export async function withPointers<T>(rename: string | ((pointer: string) => string), fn: () => Promise<T> | T): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    if (!(error instanceof Problem) || !error.extra.errors) throw error;
    const pointerOf = typeof rename === 'string' ? (pointer: string) => `${rename}${pointer}` : rename;
    const errors = error.extra.errors.map((each) => ({ ...each, pointer: pointerOf(each.pointer) }));
    throw new Problem(error.code, { ...error.extra, errors });
  }
}

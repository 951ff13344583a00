import type { Ctx } from './context.ts';

/**
 * Does everything `fn` does, with each check by its owner, gives its answer, and undoes what was written, announced and audited. In an
 * open transaction the rest of it stands; where none is open, one is opened and rolled back.
 */
export async function dryRun<T>(ctx: Ctx, fn: (ctx: Ctx) => Promise<T>): Promise<T> {
  const undo = new Error('a dry run is undone');
  let done: { answer: T } | undefined;
  try {
    await ctx.transaction((inner) =>
      inner.savepoint(async () => {
        done = { answer: await fn(inner) };
        throw undo;
      }),
    );
  } catch (error) {
    if (error !== undo) throw error;
  }
  return (done as { answer: T }).answer;
}

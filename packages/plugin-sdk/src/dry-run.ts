import type { Ctx } from './context.ts';

/**
 * Runs `fn` with all its checks, returns its result, and rolls back its writes, events and audit entries. Inside a transaction
 * only `fn` is rolled back; otherwise it opens one.
 */
export async function dryRun<T>(ctx: Ctx, fn: (ctx: Ctx) => Promise<T>): Promise<T> {
  const undo = new Error('the dry run was rolled back');
  let done: { result: T } | undefined;
  try {
    await ctx.transaction((inner) =>
      inner.savepoint(async () => {
        done = { result: await fn(inner) };
        throw undo;
      }),
    );
  } catch (error) {
    if (error !== undo) throw error;
  }
  return (done as { result: T }).result;
}

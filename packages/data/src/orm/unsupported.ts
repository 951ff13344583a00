/** MikroORM has the operation, a unit of work does not. */
export function unsupported(what: string): Error {
  return new Error(`ctx.em has no ${what}. Write it with ctx.db and "on conflict", or load the entity and change it.`);
}

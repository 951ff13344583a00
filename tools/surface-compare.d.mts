type Json = Record<string, unknown>;
/** A difference between two versions of a surface. */
export interface Change {
  kind: 'breaking' | 'additive';
  where: string;
  what: string;
}
export function operationSurface(operation: Json, document: Json): Json;
export function bare(schema: unknown): unknown;
export function referredIn(value: unknown, schemas: Json): Json;
export function compareSurfaces(before: Json, after: Json): Change[];
export function compareNames(before: readonly string[], after: readonly string[]): Change[];
export function mayBreak(name: string, release: { tags: readonly string[]; changesets: readonly string[] }): boolean;

export interface CategoryRow {
  id: string;
  parentId: string | null;
  position: number;
}
export type CategoryNode<R, O> = O & { children: CategoryNode<R, O>[] };

/** Nests rows by parent, in order of position, then id. A row whose parent isn't among them (inactive) is left out with all below it. */
export function categoryTree<R extends CategoryRow, O extends object>(
  rows: readonly R[],
  view: (row: R) => O,
): CategoryNode<R, O>[] {
  const below = new Map<string | null, R[]>();
  for (const row of rows) below.set(row.parentId, [...(below.get(row.parentId) ?? []), row]);
  const nest = (parent: string | null): CategoryNode<R, O>[] =>
    (below.get(parent) ?? [])
      .toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
      .map((row) => ({ ...view(row), children: nest(row.id) }));
  return nest(null);
}

export const maxDepth = 8;

/** Depth of a category is 1 at the root; its path names all from the root down to itself. */
export function depthOf(path: readonly string[]): number {
  return path.length;
}

/**
 * New paths when `id` moves below `parentPath` (empty: to the root), for it and everything below it. `cycle`: it would hang below itself;
 * `too_deep`: something would lie deeper than eight levels.
 */
export function movedPaths(
  id: string,
  oldPath: readonly string[],
  parentPath: readonly string[],
  below: readonly { id: string; path: readonly string[] }[],
): { paths: Map<string, string[]> } | { fault: 'cycle' | 'too_deep' } {
  if (parentPath.includes(id)) return { fault: 'cycle' };
  const paths = new Map<string, string[]>([[id, [...parentPath, id]]]);
  for (const row of below) paths.set(row.id, [...parentPath, id, ...row.path.slice(oldPath.length)]);
  for (const path of paths.values()) if (path.length > maxDepth) return { fault: 'too_deep' };
  return { paths };
}

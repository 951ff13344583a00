export interface CategoryRow {
  id: string;
  parentId: string | null;
  position: number;
}
export type CategoryNode<R, O> = O & { children: CategoryNode<R, O>[] };

/** Nests rows by parent, ordered by position, then id. Omits rows whose parent is missing (inactive), and their descendants. */
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

/** Depth of a category, 1 at the top level. Its path contains the ids from the top level to the category. */
export function depthOf(path: readonly string[]): number {
  return path.length;
}

/**
 * New paths of a category and its descendants after a move below `parentPath` (empty: to the top level). `cycle`: the parent is a descendant;
 * `too_deep`: a category would exceed `maxDepth`.
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

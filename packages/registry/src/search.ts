import type { Packument } from './packument.ts';

export interface SearchResult {
  readonly objects: unknown[];
  readonly total: number;
  readonly time: string;
}

/** Packages read in one batch, and at most per search; larger registries are searched by name first. */
const together = 8;
export const maxRead = 1000;

const words = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * Finds the packages that contain all terms, matches in the name first. `load` returns the part of a packument that the caller may see.
 * Reading stops when the page is full; `total` is the number found so far, plus one if there may be more.
 */
export async function search(
  names: readonly string[],
  load: (name: string) => Promise<Packument | undefined>,
  { text, from, size }: { text: string; from: number; size: number },
): Promise<SearchResult> {
  const wanted = words(text);
  const inName = (name: string): number => wanted.filter((word) => name.includes(word)).length;
  const order = [...names].sort((a, b) => inName(b) - inName(a) || (a < b ? -1 : 1)).slice(0, maxRead);
  const found: object[] = [];
  let read = 0;
  while (read < order.length && found.length < from + size) {
    const next = await Promise.all(order.slice(read, read + together).map(load));
    read += next.length;
    for (const packument of next) {
      const row = packument && rowOf(packument, wanted, inName(packument.name));
      if (row) found.push(row);
    }
  }
  return {
    objects: found.slice(from, from + size),
    total: found.length + (read < names.length ? 1 : 0),
    time: new Date().toUTCString(),
  };
}

function rowOf(packument: Packument, wanted: readonly string[], inName: number): object | undefined {
  const version = packument.versions[packument['dist-tags'].latest as string];
  if (version === undefined) return undefined;
  const description = typeof version.description === 'string' ? version.description : '';
  const keywords = Array.isArray(version.keywords) ? version.keywords.filter((word) => typeof word === 'string') : [];
  const all = [packument.name, description, ...keywords].join(' ').toLowerCase();
  if (!wanted.every((word) => all.includes(word))) return undefined;
  return {
    package: {
      name: packument.name,
      version: version.version,
      description,
      keywords,
      date: packument.time?.[version.version] ?? null,
      links: {},
      publisher: {},
      maintainers: [],
    },
    score: { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } },
    searchScore: 1 + inName,
  };
}

import type { Packument } from './packument.ts';

export interface SearchResult {
  readonly objects: unknown[];
  readonly total: number;
  readonly time: string;
}

const words = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The packages that hold every word, those that hold them in their name first. Takes what the caller may see, and nothing else. */
export function search(packuments: readonly Packument[], text: string, from: number, size: number): SearchResult {
  const wanted = words(text);
  const rows = packuments.flatMap((packument) => {
    const version = packument.versions[packument['dist-tags'].latest as string];
    if (version === undefined) return [];
    const description = typeof version.description === 'string' ? version.description : '';
    const keywords = Array.isArray(version.keywords) ? version.keywords.filter((word) => typeof word === 'string') : [];
    const all = [packument.name, description, ...keywords].join(' ').toLowerCase();
    if (!wanted.every((word) => all.includes(word))) return [];
    const inName = wanted.filter((word) => packument.name.includes(word)).length;
    return [{ packument, version, description, keywords, inName }];
  });
  rows.sort((a, b) => b.inName - a.inName || (a.packument.name < b.packument.name ? -1 : 1));
  return {
    objects: rows.slice(from, from + size).map(({ packument, version, description, keywords, inName }) => ({
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
    })),
    total: rows.length,
    time: new Date().toUTCString(),
  };
}

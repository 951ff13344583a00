export interface Deprecation {
  kind: 'api' | 'slot' | 'config' | 'route';
  name: string;
  package?: string;
  since: string;
  removedIn: string;
  replacement?: string;
}
export interface SourcePackage {
  dir: string;
  name: string;
  manifest: { exports: Record<string, string | Record<string, string>> };
  sources: readonly string[];
}
export function removalOf(since: string): string;
export function deprecationsIn(pkg: SourcePackage, base?: string): Deprecation[];
export function mergeDeprecations(
  record: readonly Deprecation[],
  present: readonly Deprecation[],
  version: string,
): { live: Deprecation[]; gone: Deprecation[] };

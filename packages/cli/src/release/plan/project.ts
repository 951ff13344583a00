import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What plan reads of a package.json. */
interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly storeloom?: { readonly plugin?: string; readonly theme?: string; readonly entitlement?: string };
}

/** A package of the project. */
export interface ProjectPackage {
  readonly folder: string;
  /** True for a folder of the project, false for one that is installed. */
  readonly isLocal: boolean;
  readonly manifest: PackageManifest;
}

/** Folders that hold no sources of the project. */
const leftOut = new Set(['node_modules', 'releases', 'current', 'var', 'dist', 'coverage']);
const deepest = 4;

function manifestIn(folder: string): PackageManifest | undefined {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageManifest) : undefined;
}

function foldersBelow(folder: string, depth = 0): string[] {
  if (depth > deepest) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !leftOut.has(entry.name))
    .flatMap(({ name }) => [join(folder, name), ...foldersBelow(join(folder, name), depth + 1)]);
}

/** Plugins and themes of the project: its own folders, and the installed packages that it depends on. */
export function packagesOf(project: string, serving: string): ProjectPackage[] {
  const local = foldersBelow(project).flatMap((folder): ProjectPackage[] => {
    const manifest = manifestIn(folder);
    return manifest?.storeloom ? [{ folder, isLocal: true, manifest }] : [];
  });
  const names = new Set(local.map(({ manifest }) => manifest.name));
  const installed = Object.keys(manifestIn(project)?.dependencies ?? {}).flatMap((name): ProjectPackage[] => {
    const folder = join(serving, 'node_modules', name);
    const manifest = names.has(name) ? undefined : manifestIn(folder);
    return manifest ? [{ folder: realpathSync(folder), isLocal: false, manifest }] : [];
  });
  return [...local, ...installed];
}

/** Versions of the installed `@storeloom` packages. */
export function installedPackages(serving: string): Record<string, string> {
  const scope = join(serving, 'node_modules', '@storeloom');
  if (!existsSync(scope)) return {};
  return Object.fromEntries(
    readdirSync(scope).flatMap((name) => {
      const manifest = manifestIn(join(scope, name));
      return manifest ? [[manifest.name, manifest.version]] : [];
    }),
  );
}

export interface SourceText {
  /** Relative to the project. */
  readonly file: string;
  readonly text: string;
}

/** The project's own source files: configuration, seeds, local plugins and themes. Not type declarations. */
export function sourcesOf(project: string): SourceText[] {
  return [project, ...foldersBelow(project)].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !/\.d\.[cm]?ts$/.test(entry.name))
      .map(({ name }) => ({ file: relative(project, join(folder, name)), text: readFileSync(join(folder, name), 'utf8') })),
  );
}

import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ThemeRecord, themeTemplates } from '@storeloom/plugin-sdk';
import semver from 'semver';
import { z } from 'zod';
import {
  inherit,
  presetProblems,
  type ThemeDescription,
  type ThemeProblem,
  themeDescription,
  tokenProblems,
} from './description.ts';

/** The storefront's own theme, which needs no licence. */
const builtInThemePackage = '@storeloom/storefront';
const sdk = '@storeloom/theme-sdk';

const packageJson = z.object({
  name: z.string().min(1),
  version: z.string().refine((version) => semver.valid(version) !== null, 'must be a semver version'),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  storeloom: z.object({
    theme: z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be words of a-z and 0-9 joined by -'),
    /** Package of the theme that it stands on. */
    parent: z.string().min(1).optional(),
    entitlement: z.string().min(1).optional(),
  }),
});

interface Read {
  name: string;
  package: string;
  version: string | null;
  entitlement: string;
  parent: string | null;
  description: ThemeDescription | null;
  problems: ThemeProblem[];
}

type PackageFile = (spec: string, dir: string) => string | undefined;

/** Which themes `loadThemes` reads. */
export interface ThemesOptions {
  /** Folder of the installation. */
  readonly dir: string;
  /** Packages or folders. */
  readonly themes: readonly string[];
  /** The one that a shop has before it chooses; added to the list. */
  readonly theme?: string | undefined;
  /** Finds the package.json of a package or folder, as seen from `dir`. */
  readonly packageFile: PackageFile;
}

/** Reads the themes of the installation; a broken one is there with what is wrong with it. */
export function loadThemes({ dir, themes, theme, packageFile }: ThemesOptions): ThemeRecord[] {
  const specs = [...new Set([...(theme === undefined ? [] : [theme]), ...themes])];
  const read = specs.map((spec) => readTheme(spec, packageFile(spec, dir)));
  const names = new Set<string>();
  for (const one of read) {
    if (names.has(one.name))
      one.problems.push({ code: 'theme_duplicate', message: `${one.package} calls itself ${one.name}, as another theme does` });
    names.add(one.name);
  }
  return read
    .filter((one, i) => read.findIndex(({ name }) => name === one.name) === i)
    .map((one) => recordOf(one, read, one.package === read[0]?.package && theme !== undefined));
}

function recordOf(one: Read, all: readonly Read[], isDefault: boolean): ThemeRecord {
  const problems = [...one.problems];
  const whole = resolve(one, all, problems);
  for (const template of whole ? themeTemplates : [])
    if (!whole?.templates.includes(template))
      problems.push({ code: 'template_missing', message: `the template ${template} is missing` });
  if (whole) problems.push(...presetProblems(whole));
  return Object.freeze({
    name: one.name,
    package: one.package,
    version: one.version,
    entitlement: one.entitlement,
    foundation: one.package === builtInThemePackage,
    isDefault,
    title: whole?.title ?? {},
    tokens: whole?.tokens ?? {},
    settings: whole?.settings ?? {},
    templates: whole?.templates ?? [],
    sections: whole?.sections ?? {},
    presets: whole?.presets ?? {},
    problems,
  });
}

/** Returns the theme with what it inherits from its parents; undefined if they can't be resolved. */
function resolve(
  one: Read,
  all: readonly Read[],
  problems: ThemeProblem[],
  seen: readonly Read[] = [],
): ThemeDescription | undefined {
  if (one.description === null) return undefined;
  if (one.parent === null) return one.description;
  const parent = all.find((other) => other.package === one.parent || `${other.package}/theme` === one.parent);
  const wrong = (message: string): undefined => void problems.push({ code: 'parent_missing', message });
  if (!parent) return wrong(`its parent ${one.parent} is not on the list of themes`);
  if (seen.includes(parent) || parent === one) return wrong(`it stands on itself, by ${one.parent}`);
  if (parent.description === null) return wrong(`its parent ${one.parent} is broken`);
  const above = resolve(parent, all, problems, [...seen, one]);
  return above && inherit(above, one.description);
}

function readTheme(spec: string, file: string | undefined): Read {
  const nameless: Read = {
    name: basename(spec).replace(/^theme-/, ''),
    package: basename(spec),
    version: null,
    entitlement: basename(spec),
    parent: null,
    description: null,
    problems: [],
  };
  const failed = (code: string, message: string, known: Partial<Read> = {}): Read => ({
    ...nameless,
    ...known,
    problems: [{ code, message }],
  });
  if (file === undefined) return failed('package_missing', `${nameless.package} is not installed`);
  const json = readJson(file, packageJson);
  if (!json.ok) return failed('manifest_invalid', json.why);
  const { name: packageName, version, peerDependencies, storeloom } = json.value;
  const known = {
    name: storeloom.theme,
    package: packageName,
    version,
    entitlement: storeloom.entitlement ?? storeloom.theme,
    parent: storeloom.parent ?? null,
  };
  const incompatible = sdkProblem(peerDependencies[sdk], file);
  if (incompatible !== undefined) return failed('theme_sdk', incompatible, known);
  const description = readJson(join(dirname(file), 'theme.json'), themeDescription);
  if (!description.ok) return failed('description_invalid', description.why, known);
  return { ...nameless, ...known, description: description.value, problems: tokenProblems(description.value.tokens) };
}

function readJson<T>(file: string, schema: z.ZodType<T>): { ok: true; value: T } | { ok: false; why: string } {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return {
      ok: false,
      why: `${basename(file)} ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is missing' : 'is no JSON'}`,
    };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const why = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`).join('; ');
  return { ok: false, why: `${basename(file)}: ${why}` };
}

/** The kernel doesn't use the theme SDK, the storefront does: where it is installed, the theme must fit it. */
function sdkProblem(range: string | undefined, file: string): string | undefined {
  if (range === undefined || range.startsWith('workspace:')) return undefined;
  if (semver.validRange(range) === null) return `it wants ${sdk} ${range}, which is no range`;
  let installed: string | undefined;
  try {
    installed = findPackageJSON(sdk, pathToFileURL(file));
  } catch {
    return undefined;
  }
  if (installed === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(installed, 'utf8')) as { version: string };
  return semver.satisfies(version, range, { includePrerelease: true })
    ? undefined
    : `it wants ${sdk} ${range}, and ${version} is installed`;
}

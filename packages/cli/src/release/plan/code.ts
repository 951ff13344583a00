import type { ReleaseManifest } from '../manifest.ts';
import type { UpgradeFinding } from './finding.ts';
import type { SourceText } from './project.ts';

interface Import {
  readonly package: string;
  readonly name: string;
  readonly line: number;
}

const escaped = (name: string): string => name.replace(/[$.]/g, '\\$&');
const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Named imports and re-exports of `@storeloom` packages. Subpaths count as their package. */
function importsOf(text: string): Import[] {
  return [
    ...text.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*['"](@storeloom\/[a-z0-9-]+)[^'"]*['"]/g),
  ].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/(?:^|,)\s*(?:type\s+)?([A-Za-z_$][\w$]*)/g)].map((name) => ({
      package: match[2] ?? '',
      name: name[1] ?? '',
      line: lineAt(text, match.index + match[0].indexOf('{') + 1 + name.index + name[0].length),
    })),
  );
}

interface Use {
  readonly where: string;
}

/** Places where the sources use an exported name, or a member (`Export.member`) of one that they import. */
function usesOf({ package: owner, name }: { package?: string | undefined; name: string }, sources: readonly SourceText[]): Use[] {
  const [exported = '', member] = name.split('.');
  return sources.flatMap(({ file, text }) => {
    const found = importsOf(text).find((each) => each.name === exported && (owner === undefined || each.package === owner));
    if (!found) return [];
    if (member === undefined) return [{ where: `${file}:${found.line}` }];
    const use = new RegExp(`(?:\\.|['"]|\\b)${escaped(member)}\\b\\s*[:(.,;\\])}]`).exec(text);
    return use ? [{ where: `${file}:${lineAt(text, use.index)}` }] : [];
  });
}

/** Places where the sources name a slot. */
const slotUses = (id: string, sources: readonly SourceText[]): Use[] =>
  sources.flatMap(({ file, text }) =>
    [...text.matchAll(new RegExp(`['"]${escaped(id)}['"]`, 'g'))].map(({ index }) => ({
      where: `${file}:${lineAt(text, index)}`,
    })),
  );

/** What the project's own code uses that the target deprecates or no longer has. */
export function codeFindings(
  { removals, deprecations, slots }: ReleaseManifest,
  sources: readonly SourceText[],
): UpgradeFinding[] {
  const instead = (replacement: string | undefined): string =>
    replacement === undefined ? 'stop using it' : `use ${replacement}`;
  const api = (list: ReleaseManifest['removals'], isRemoved: boolean): UpgradeFinding[] =>
    list
      .filter(({ kind }) => kind === 'api')
      .flatMap((one) =>
        usesOf(one, sources).map(({ where }) => ({
          code: isRemoved ? 'api_removed' : 'api_deprecated',
          severity: isRemoved ? ('blocker' as const) : ('warning' as const),
          what: `${one.name}${one.package === undefined ? '' : ` of ${one.package}`} ${isRemoved ? 'was removed' : 'is deprecated'}.`,
          where,
          why: isRemoved
            ? `It was deprecated in ${one.since} and removed in ${one.removedIn}.`
            : `It is deprecated since ${one.since}, and ${one.removedIn} removes it.`,
          fix: instead(one.replacement),
        })),
      );
  const gone = slots.removed.flatMap(({ id, since, replacement }) =>
    slotUses(id, sources).map(({ where }) => ({
      code: 'slot_removed',
      severity: 'blocker' as const,
      what: `The slot ${id} was removed.`,
      where,
      why: `Themes have no such slot since ${since}: what fills it is never shown.`,
      fix: instead(replacement),
    })),
  );
  return [...api(removals, true), ...gone, ...api(deprecations, false)];
}

/** Slots that every theme must have from this release, by theme of the project that doesn't name them. */
export function missingSlots(
  { slots }: ReleaseManifest,
  themes: readonly { readonly name: string; readonly folder: string }[],
  sources: readonly SourceText[],
): UpgradeFinding[] {
  return themes.flatMap(({ name, folder }) => {
    const own = sources.filter(({ file }) => file.startsWith(`${folder}/`));
    return slots.required
      .filter(({ id }) => slotUses(id, own).length === 0)
      .map(({ id, since }) => ({
        code: 'slot_missing',
        severity: 'blocker' as const,
        what: `The theme ${name} has no slot ${id}.`,
        where: folder,
        why: `Themes need it since ${since}.`,
        fix: `place <Slot name="${id}" /> in the theme`,
      }));
  });
}

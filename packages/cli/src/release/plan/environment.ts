import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { ReleaseManifest } from '../manifest.ts';
import type { UpgradeFinding } from './finding.ts';

/** Configuration keys of the process and of the project's `.env` that the target doesn't read, or reads under another name. */
export function environmentFindings(
  { configuration, deprecations }: ReleaseManifest,
  project: string,
  environment: Readonly<Record<string, string | undefined>>,
): UpgradeFinding[] {
  const file = join(project, '.env');
  const inFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const placeOf = (key: string): string | undefined => {
    if ((inFile[key]?.trim() ?? '') !== '') return '.env';
    return (environment[key]?.trim() ?? '') === '' ? undefined : 'environment';
  };
  const finding = (
    key: string,
    replacement: string | undefined,
    facts: Pick<UpgradeFinding, 'code' | 'severity' | 'what' | 'why'>,
  ): UpgradeFinding[] => {
    const where = placeOf(key);
    return where === undefined
      ? []
      : [{ ...facts, where, fix: replacement === undefined ? `unset ${key}` : `set ${replacement} instead` }];
  };
  return [
    ...configuration.removed.flatMap(({ key, since, replacement, guide }) =>
      finding(key, replacement, {
        code: 'config_key_removed',
        severity: 'blocker',
        what: `The configuration key ${key} was removed.`,
        why: `A process of ${since} or later doesn't start while it is set${guide === undefined ? '' : ` (${guide})`}.`,
      }),
    ),
    ...deprecations
      .filter(({ kind }) => kind === 'config')
      .flatMap(({ name, since, removedIn, replacement }) =>
        finding(name, replacement, {
          code: 'config_key_deprecated',
          severity: 'warning',
          what: `The configuration key ${name} is deprecated.`,
          why: `It is deprecated since ${since}, and ${removedIn} doesn't read it.`,
        }),
      ),
  ];
}

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
  const removed = configuration.removed.flatMap(({ key, since, replacement, guide }): UpgradeFinding[] => {
    const where = placeOf(key);
    if (where === undefined) return [];
    return [
      {
        code: 'config_key_removed',
        severity: 'blocker',
        what: `The configuration key ${key} was removed.`,
        where,
        why: `A process of ${since} or later doesn't start while it is set${guide === undefined ? '' : ` (${guide})`}.`,
        fix: replacement === undefined ? `unset ${key}` : `set ${replacement} instead`,
      },
    ];
  });
  const deprecated = deprecations
    .filter(({ kind }) => kind === 'config')
    .flatMap(({ name, since, removedIn, replacement }): UpgradeFinding[] => {
      const where = placeOf(name);
      if (where === undefined) return [];
      return [
        {
          code: 'config_key_deprecated',
          severity: 'warning',
          what: `The configuration key ${name} is deprecated.`,
          where,
          why: `It is deprecated since ${since}, and ${removedIn} doesn't read it.`,
          fix: replacement === undefined ? `unset ${name}` : `set ${replacement} instead`,
        },
      ];
    });
  return [...removed, ...deprecated];
}

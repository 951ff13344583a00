import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutMarks } from './fresh-modules.ts';
import type { TypeFault } from './types.ts';

/** Why a changed version isn't served: shown in the terminal. */
export interface DevFault {
  /** `src/index.ts:12:3`, from the folder of the installation. */
  readonly where?: string;
  readonly what: string;
  readonly fix?: string;
}

/** Path as the terminal shows it: relative to the installation where it is inside. */
function shown(dir: string, file: string): string {
  const path = relative(dir, file);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path;
}

/** The first place of an error's stack that is in one of the folders. Syntax errors name theirs in the first line. */
export function placeOf(error: unknown, dir: string, folders: readonly string[]): string | undefined {
  const stack = error instanceof Error ? withoutMarks(error.stack ?? '') : '';
  for (const [, url, line, column] of stack.matchAll(/(file:\/\/\/[^\s()?]+?):(\d+)(?::(\d+))?(?=[\s)]|$)/gm)) {
    const file = fileURLToPath(url as string);
    if (!file.includes('/node_modules/') && folders.some((folder) => file.startsWith(folder)))
      return [shown(dir, file), line, column].filter((part) => part !== undefined).join(':');
  }
  return undefined;
}

export function typeFault(dir: string, folder: string, { file, line, column, code, message }: TypeFault): DevFault {
  const place = file === undefined ? undefined : [shown(dir, `${folder}/${file}`), line, column].join(':');
  return { ...(place === undefined ? {} : { where: place }), what: `${code}: ${message}` };
}

/** A fault of the kernel about a plugin, with the place of the error where there was one. */
export function pluginFault(reason: { readonly message: string } | null, place: string | undefined): DevFault {
  const lines = withoutMarks(reason?.message ?? 'the plugin is not ready').split('\n');
  const labelled = (label: string): string | undefined =>
    lines
      .find((line) => line.startsWith(`  ${label.padEnd(5)}  `))
      ?.slice(label.length + 2)
      .trim();
  const [where, why, fix] = [place ?? labelled('where'), labelled('why'), labelled('fix')];
  return {
    ...(where === undefined ? {} : { where: where.startsWith('file:') ? fileURLToPath(where) : where }),
    what: [lines[0], why].filter((part) => part !== undefined).join(': '),
    ...(fix === undefined ? {} : { fix }),
  };
}

export function faultLines({ where, what, fix }: DevFault): string[] {
  return [...(where === undefined ? [what] : [`${where}  ${what}`]), ...(fix === undefined ? [] : [`  fix  ${fix}`])];
}

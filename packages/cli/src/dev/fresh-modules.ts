import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Marks a module URL with the reload that loaded it. */
const mark = 'storeloom-reload';

/** Removes the marks from a text with module URLs, for people. */
export const withoutMarks = (text: string): string => text.replaceAll(new RegExp(`\\?${mark}=\\d+`, 'g'), '');

/**
 * Loads the modules of packages in development again after a change: Node keeps every module by its URL, so each reload gives those of
 * these packages a URL of its own. All other modules, the kernel and the SDK among them, stay the same.
 */
export class FreshModules {
  #reload = 0;
  #folders: ReadonlySet<string> = new Set();
  /** Folder of the nearest package.json, by folder. */
  readonly #owners = new Map<string, string>();

  /** Folders of the packages in development: real paths, each with a package.json. */
  set folders(folders: readonly string[]) {
    this.#folders = new Set(folders);
  }

  /** From now on imports read the files again. */
  refresh(): void {
    this.#reload++;
    if (this.#reload > 1) return;
    // Not before the first change: the hook takes time for each import of the start.
    registerHooks({
      resolve: (specifier, context, next) => {
        const found = next(specifier, context);
        if (!found.url.startsWith('file:') || context.conditions.includes('require') || !this.#isOwn(found.url)) return found;
        const url = new URL(found.url);
        url.searchParams.set(mark, String(this.#reload));
        return { ...found, url: url.href };
      },
    });
  }

  #isOwn(url: string): boolean {
    if (url.includes('/node_modules/')) return false;
    return this.#folders.has(this.#ownerOf(dirname(fileURLToPath(url))));
  }

  #ownerOf(folder: string): string {
    const known = this.#owners.get(folder);
    if (known !== undefined) return known;
    const isPackage = existsSync(join(folder, 'package.json')) || folder === dirname(folder) || folder.endsWith(sep);
    const owner = isPackage ? folder : this.#ownerOf(dirname(folder));
    this.#owners.set(folder, owner);
    return owner;
  }
}

import { type Dirent, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** A folder of sources. */
export interface SourceFolder {
  readonly dir: string;
  /** False: only the files in the folder itself. */
  readonly recursive: boolean;
  /** The plugin runs from its build. */
  readonly built: boolean;
}

/** An editor writes a file in several steps. Milliseconds. */
const settleTime = 40;
const isSource = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|json|sql)$/.test(path) && !/(?:^|\/)\.|\.d\.ts$|\.test\.ts$/.test(path);

/** Folders of sources in a package. */
function foldersBelow({ dir, built }: SourceFolder): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    // Removed since its parent was read.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter(
      (entry) => entry.isDirectory() && !/^\.|^(?:node_modules|coverage)$/.test(entry.name) && (entry.name !== 'dist' || built),
    )
    .flatMap(({ name }) => [join(dir, name), ...foldersBelow({ dir: join(dir, name), recursive: true, built })]);
}

/** Watches the sources of packages in development. `node_modules`, hidden folders and builds are left out. */
export class SourceWatch {
  readonly #onChange: (files: string[]) => void;
  readonly #onError: (error: Error) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` receives absolute paths, some milliseconds after the last change. */
  constructor(onChange: (files: string[]) => void, onError: (error: Error) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Replaces the folders. */
  watch(folders: readonly SourceFolder[]): void {
    const wanted = new Set(
      folders.flatMap((folder) => (folder.recursive ? [folder.dir, ...foldersBelow(folder)] : [folder.dir])),
    );
    for (const [path, watcher] of this.#watchers)
      if (!wanted.has(path)) {
        watcher.close();
        this.#watchers.delete(path);
      }
    for (const path of wanted) {
      if (this.#watchers.has(path)) continue;
      // Each folder, not recursively: on Linux a recursive watch loses a file that an editor replaces.
      const watcher = watch(path, (_, name) => {
        if (name === null) return;
        if (isSource(name)) this.#note(join(path, name));
        // A new or removed folder.
        else if (!name.includes('.')) this.watch(folders);
      });
      watcher.on('error', this.#onError);
      this.#watchers.set(path, watcher);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #note(file: string): void {
    this.#changed.add(file);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const files = [...this.#changed];
      this.#changed.clear();
      this.#onChange(files);
    }, settleTime);
  }
}

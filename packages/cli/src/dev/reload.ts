import { realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isFolder, type Kernel, type Prepared } from '@storeloom/core';
import { thrownMessage } from '@storeloom/keys';
import { draftMigration } from '@storeloom/migration-draft';
import pc from 'picocolors';
import { type DevFault, faultLines, placeOf, pluginFault, typeFault } from './faults.ts';
import { FreshModules, withoutMarks } from './fresh-modules.ts';
import { type SourceFolder, SourceWatch } from './sources.ts';
import { checkTypes } from './types.ts';

/** A version of the installation that serves. */
export interface Version {
  readonly prepared: Prepared;
  readonly kernel: Kernel;
}

export interface ReloadOptions {
  readonly say: (line: string) => void;
  /** Reads configuration and plugins again, on the present database. Receives the errors of plugins that can't be imported. */
  prepare(onImportError: (plugin: string, error: unknown) => void): Promise<Prepared>;
  /** Does what belongs to a start, such as the demo of a new tenant. */
  started(version: Version): Promise<void>;
}

/**
 * Serves the sources as they are: after a change of the configuration, or of a plugin that is listed by its folder, checks the new version
 * and replaces the one that serves. The terminal shows type errors and faults of the plugin contract; the last good version keeps serving.
 * Both versions run in this process, whose modules are loaded: measured, a new process takes twice as long.
 */
export class Reloads {
  readonly #options: ReloadOptions;
  readonly #modules = new FreshModules();
  readonly #watch: SourceWatch;
  readonly #changed = new Set<string>();
  readonly #stopping = new AbortController();
  #version: Version;
  /** Packages whose last check found type errors. */
  #mistyped: ReadonlySet<string> = new Set();
  #work: Promise<void>;
  #isWorking = true;

  constructor(first: Version, options: ReloadOptions) {
    this.#options = options;
    this.#version = first;
    this.#watch = new SourceWatch(
      (files) => this.#request(files),
      (error) => options.say(`The sources can't be watched (${error.message}). Restart after a change.`),
    );
    this.#follow(first.prepared);
    // The first check takes longest; its record makes the following ones fast.
    this.#work = this.#run(async () => {
      const faults = await this.#typeFaults(packagesOf(first.prepared).map(({ dir }) => dir));
      this.#show(faults, 'The plugin is served all the same. After the next change the errors prevent that.');
    });
  }

  /** Ends the watch, and waits for a reload that is under way. Returns the version that serves. */
  async stop(): Promise<Version> {
    this.#watch.close();
    this.#stopping.abort();
    await this.#work;
    return this.#version;
  }

  #follow(prepared: Prepared): void {
    const installation = realpathSync(prepared.installation.dir);
    const packages = packagesOf(prepared);
    this.#modules.folders = [installation, ...packages.map(({ dir }) => dir)];
    this.#watch.watch([...packages, { dir: installation, recursive: false, built: false }]);
  }

  #request(files: readonly string[]): void {
    for (const file of files) this.#changed.add(file);
    if (!this.#isWorking) this.#work = this.#run(async () => undefined);
  }

  /** Runs the work, then reloads until no file has changed meanwhile. */
  async #run(work: () => Promise<void>): Promise<void> {
    this.#isWorking = true;
    const guarded = async (step: () => Promise<void>): Promise<void> => {
      try {
        await step();
      } catch (error) {
        // Stopping ends the compiler and the preparation.
        if (this.#stopping.signal.aborted) return;
        this.#show([this.#faultOf(error)], keepsServing);
      }
    };
    await guarded(work);
    while (this.#changed.size > 0 && !this.#stopping.signal.aborted) {
      const files = [...this.#changed];
      this.#changed.clear();
      await guarded(() => this.#reload(files));
    }
    this.#isWorking = false;
  }

  async #reload(files: readonly string[]): Promise<void> {
    const started = performance.now();
    const { signal } = this.#stopping;
    const { prepared: present, kernel: old } = this.#version;
    const changed = packagesOf(present)
      .map(({ dir }) => dir)
      .filter((dir) => this.#mistyped.has(dir) || files.some((file) => file.startsWith(`${dir}/`)));
    this.#modules.refresh();
    const [types, candidate] = await Promise.allSettled([this.#typeFaults(changed), this.#prepare()]);
    signal.throwIfAborted();
    if (types.status === 'rejected') throw types.reason;
    const faults = [
      ...types.value,
      ...(candidate.status === 'rejected' ? [this.#faultOf(candidate.reason)] : candidate.value.faults),
    ];
    if (candidate.status === 'rejected' || faults.length > 0) return this.#show(faults, keepsServing);
    const { prepared } = candidate.value;
    const missing = await this.#migrate(prepared);
    signal.throwIfAborted();
    if (missing.length > 0) return this.#show(missing, keepsServing);
    const kernel = await prepared
      .start({ port: old.port, beforeListen: () => old.stop({ immediately: true }) })
      .catch(async (error) => {
        // The old kernel may have closed its socket already.
        await old.stop({ immediately: true });
        this.#version = { prepared: present, kernel: await present.start({ port: old.port }) };
        throw error;
      });
    this.#version = { prepared, kernel };
    this.#follow(prepared);
    const names = files.map((file) => relative(prepared.installation.dir, file));
    const list = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
    this.#options.say(`${pc.green('✓')} reloaded in ${((performance.now() - started) / 1000).toFixed(1)} s: ${list}`);
    await this.#options.started(this.#version);
  }

  /** Reads configuration and plugins again. A plugin that is ready now and wouldn't be then is a fault. */
  async #prepare(): Promise<{ prepared: Prepared; faults: DevFault[] }> {
    const errors = new Map<string, unknown>();
    const prepared = await this.#options.prepare((plugin, error) => void errors.set(plugin, error));
    const { registry } = this.#version.prepared;
    const before = new Map(registry.states().map(({ name, state }) => [name, state]));
    const worse = prepared.check().filter(({ name, state }) => state !== 'ready' && (before.get(name) ?? 'ready') === 'ready');
    const faults = worse.map(({ name, reason }) => pluginFault(reason, this.#placeOf(errors.get(name), prepared)));
    return { prepared, faults };
  }

  /** Runs new migrations; returns what failed and what the tables of the packages lack afterwards. */
  async #migrate(prepared: Prepared): Promise<DevFault[]> {
    const report = await prepared.migrate((line) => this.#options.say(pc.dim(line)), this.#stopping.signal);
    if (report.failed.length > 0)
      return report.failed.map(({ owner, name, message }) => ({
        where: `${owner} ${name}`,
        what: message,
        fix: /append-only/.test(message)
          ? 'put the file back and add a new migration; while the plugin has no release, you can delete the data directory instead'
          : 'correct the migration: nothing of it was applied',
      }));
    return missingTables(prepared);
  }

  async #typeFaults(folders: readonly string[]): Promise<DevFault[]> {
    const { dir } = this.#version.prepared.installation;
    const found = await Promise.all(
      folders.map(async (folder) => ({ folder, faults: (await checkTypes(folder, this.#stopping.signal)) ?? [] })),
    );
    const checked = new Set(folders);
    this.#mistyped = new Set([
      ...[...this.#mistyped].filter((folder) => !checked.has(folder)),
      ...found.filter(({ faults }) => faults.length > 0).map(({ folder }) => folder),
    ]);
    return found.flatMap(({ folder, faults }) => faults.map((fault) => typeFault(dir, folder, fault)));
  }

  #placeOf(error: unknown, { installation }: Prepared): string | undefined {
    const folders = [installation.dir, ...packagesOf(this.#version.prepared).map(({ dir }) => dir)];
    return placeOf(error, installation.dir, folders);
  }

  #faultOf(error: unknown): DevFault {
    const place = this.#placeOf(error, this.#version.prepared);
    return { ...(place === undefined ? {} : { where: place }), what: withoutMarks(thrownMessage(error)) };
  }

  #show(faults: readonly DevFault[], result: string): void {
    if (faults.length === 0) return;
    const { say } = this.#options;
    for (const fault of faults) {
      const [first = '', ...rest] = faultLines(fault);
      say(`${pc.red('✗')} ${first}`);
      for (const line of rest) say(line);
    }
    say(pc.yellow(result));
  }
}

const keepsServing = 'The last good version keeps serving.';

/** Plugins that are listed by their folders. */
function packagesOf({ installation, registry }: Prepared): SourceFolder[] {
  const entries = new Map<string, string>();
  for (const { name } of registry.states()) {
    const manifest = registry.imported(name)?.manifest;
    if (manifest) entries.set(manifest.dir, manifest.entry);
  }
  return installation.plugins.filter(isFolder).flatMap((spec): SourceFolder[] => {
    const dir = realFolder(resolve(installation.dir, spec));
    return dir === undefined ? [] : [{ dir, recursive: true, built: entries.get(dir)?.includes('/dist/') ?? false }];
  });
}

function realFolder(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What the tables of plugins in development lack in the database, with the statements of the missing migration. */
async function missingTables(prepared: Prepared): Promise<DevFault[]> {
  const folders = new Set(packagesOf(prepared).map(({ dir }) => dir));
  const faults: DevFault[] = [];
  for (const { manifest } of prepared.registry.loaded) {
    if (!folders.has(manifest.dir)) continue;
    const sql = await draftMigration(prepared.ownerUrl, prepared.tablesOf(manifest.name));
    if (sql === '') continue;
    const statements = sql.trimEnd().split('\n');
    faults.push({
      where: relative(prepared.installation.dir, join(manifest.dir, 'migrations')) || 'migrations',
      what: `the tables of ${manifest.name} have no migration for:\n${statements.map((line) => `    ${line}`).join('\n')}`,
      fix: `put these statements into a new file in migrations and list it in definePlugin (storeloom migrate diff ${manifest.name} prints them)`,
    });
  }
  return faults;
}

import { createHash } from 'node:crypto';
import { constants, cpSync, renameSync, rmSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { SnapshotRecord } from './record.ts';

type StoredFile = SnapshotRecord['files'][number];
export type Owner = { uid: number; gid: number } | undefined;

/** Size and SHA-256 of a file, which is on disk on return. */
async function describeFile(root: string, path: string): Promise<StoredFile> {
  const file = await open(path, 'r+');
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer);
      size += (chunk as Buffer).length;
    }
    await file.datasync();
    return { path: relative(root, path), size, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

/** Describes a file or all files of a folder, sorted by path. */
export async function describeFiles(root: string, path: string): Promise<StoredFile[]> {
  let entries: { name: string; parentPath: string; isFile(): boolean }[];
  try {
    entries = await readdir(path, { withFileTypes: true, recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [await describeFile(root, path)];
    throw error;
  }
  const files: StoredFile[] = [];
  for (const entry of entries) if (entry.isFile()) files.push(await describeFile(root, join(entry.parentPath, entry.name)));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Differences between the files of a record and those on disk, a line each. */
export function fileDifferences(expected: readonly StoredFile[], actual: readonly StoredFile[]): string[] {
  const found = new Map(actual.map((file) => [file.path, file]));
  const lines: string[] = [];
  for (const { path, size, sha256 } of expected) {
    const file = found.get(path);
    found.delete(path);
    if (!file) lines.push(`${path} is missing`);
    else if (file.size !== size) lines.push(`${path} has ${file.size} bytes, not ${size}`);
    else if (file.sha256 !== sha256) lines.push(`${path} was changed`);
  }
  for (const path of found.keys()) lines.push(`${path} is not in the record`);
  return lines;
}

export interface CopyOptions {
  /** User that owns the copies, if this process may give them away. */
  readonly owner: Owner;
  /** Paths below the folder to leave out; of a folder that ends with `/`, the content only. */
  readonly skip?: (path: string) => 'all' | 'content' | undefined;
  /** True if files may vanish meanwhile. */
  readonly live?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Copies a folder, with modes 0700 and 0600. Links are refused: a copy of the link isn't a copy of the data. */
export async function copyFolder(from: string, to: string, options: CopyOptions, below = ''): Promise<void> {
  const { owner, skip, live = false, signal } = options;
  await mkdir(to, { recursive: true, mode: 0o700 });
  if (owner) await chown(to, owner.uid, owner.gid);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    signal?.throwIfAborted();
    const path = join(below, entry.name);
    const skipped = skip?.(path);
    if (skipped === 'all') continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (skipped !== 'content') await copyFolder(source, target, options, path);
      else {
        await mkdir(target, { mode: 0o700 });
        if (owner) await chown(target, owner.uid, owner.gid);
      }
    } else if (entry.isFile()) await copyOne(source, target, owner, live);
    else if (!entry.isSocket()) throw new Error(`${source} is neither a file nor a folder`);
  }
}

export async function copyOne(source: string, target: string, owner: Owner, live: boolean): Promise<void> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (live && (error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await chmod(target, 0o600);
  if (owner) await chown(target, owner.uid, owner.gid);
}

/** Moves a folder, also to another file system. */
export function moveFolder(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
    rmSync(from, { recursive: true });
  }
}

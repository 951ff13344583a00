import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { Refusal } from './refusal.ts';

export const maxTarball = 32 * 1024 * 1024;
export const maxManifest = 1024 * 1024;
const maxUnpacked = 128 * 1024 * 1024;
/** Maximum ratio of unpacked to packed size above `freely`. Source code reaches less than a third of it. */
const maxRatio = 100;
const freely = 16 * 1024 * 1024;
const maxEntries = 20_000;

export interface Inspected {
  /** Content of `package/package.json`. */
  readonly manifest: Record<string, unknown>;
  /** Digest of all files; see `digestContents`. */
  readonly contents: string;
  readonly fileCount: number;
  /** Bytes. */
  readonly unpackedSize: number;
}

/**
 * Digest of a package's files, which the kernel recomputes from the installed package: SHA-512 of one line per file, sorted by path, with
 * the file's SHA-256 in hex, two spaces and its path.
 */
export function digestContents(files: ReadonlyMap<string, string>): string {
  const lines = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, hash]) => `${hash}  ${path}\n`);
  return `sha512-${createHash('sha512').update(lines.join('')).digest('base64')}`;
}

const refuse = (why: string, fix?: string): Refusal => new Refusal('package_refused', why, fix);

/** Reads an uploaded tarball within limits. @throws Refusal */
export async function inspectTarball(bytes: Uint8Array): Promise<Inspected> {
  if (bytes.length > maxTarball)
    throw new Refusal('package_too_large', `the tarball has ${bytes.length} bytes; the limit is ${maxTarball}`);
  const files = new Map<string, string>();
  const folded = new Set<string>();
  let manifestText: string | undefined;
  let unpackedSize = 0;
  let entries = 0;
  let fault: Refusal | undefined;

  // Refuse doubly compressed data: the parser's own decompression has no limits.
  const parser = new Parser({ strict: true, brotli: false, zstd: false });
  parser.on('entry', (entry: ReadEntry) => {
    fault ??= ++entries > maxEntries ? refuse(`the tarball has more than ${maxEntries} entries`) : faultOf(entry);
    const path = entry.path.slice('package/'.length);
    if (fault !== undefined || entry.type === 'Directory') return void entry.resume();
    if (folded.has(path.toLowerCase())) fault = refuse(`the tarball contains ${entry.path} twice`);
    folded.add(path.toLowerCase());
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    let size = 0;
    entry.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      size += chunk.length;
      if (path !== 'package.json') return;
      if (size > maxManifest) fault ??= new Refusal('package_too_large', `package.json has more than ${maxManifest} bytes`);
      else kept.push(chunk);
    });
    entry.on('end', () => {
      unpackedSize += size;
      files.set(path, hash.digest('hex'));
      if (path === 'package.json') manifestText = Buffer.concat(kept).toString('utf8');
    });
  });
  // Data after the end marker is padding; the parser would copy all of it for each chunk.
  let over = false;
  parser.on('eof', () => {
    over = true;
  });
  const parsed = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  // The error is reported by the promise below.
  parsed.catch(() => undefined);
  try {
    await pipeline(Readable.from([bytes]), createGunzip(), async (unpacked: AsyncIterable<Buffer>) => {
      const most = Math.min(maxUnpacked, Math.max(freely, maxRatio * bytes.length));
      let size = 0;
      let start = Buffer.alloc(0);
      for await (let chunk of unpacked) {
        size += chunk.length;
        if (start.length < 2) {
          // The first chunk can be a single byte.
          start = Buffer.concat([start, chunk]);
          if (start.length < 2) continue;
          if (start[0] === 0x1f && start[1] === 0x8b) throw refuse('the tarball is compressed twice');
          chunk = start;
        }
        if (size > most) throw new Refusal('package_too_large', `the tarball unpacks to more than ${most} bytes`);
        // Stop reading a refused tarball.
        if (fault !== undefined) throw fault;
        if (!over) parser.write(chunk);
      }
      parser.end();
    });
    await parsed;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse('the tarball is not readable', 'Pack it with npm pack or pnpm pack');
  }
  if (fault !== undefined) throw fault;
  return { manifest: manifestOf(manifestText), contents: digestContents(files), fileCount: files.size, unpackedSize };
}

/** Contents that are refused for every publisher. */
function faultOf({ path, type }: ReadEntry): Refusal | undefined {
  if (type !== 'File' && type !== 'OldFile' && type !== 'Directory')
    return refuse(`the tarball has a ${type} (${path}): files only, no links`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters disguise a name
  if (path.includes('\\') || /[\u0000-\u001f\u007f]/.test(path) || path.length > 1000)
    return refuse('the tarball has a file with an invalid name');
  const parts = path.replace(/\/$/, '').split('/');
  if (path.startsWith('/') || parts.includes('..') || parts.includes('.') || parts.includes(''))
    return refuse(`the tarball has ${path}, which is outside its folder`);
  if (parts[0] !== 'package') return refuse(`the tarball has ${path}, which is not in package/`);
  if (parts[1] === 'node_modules') return refuse('the tarball contains node_modules', 'Declare them as dependencies');
  const name = parts.at(-1)?.toLowerCase();
  // npm renames one to the other when it unpacks, so the installed files would differ from the signed ones.
  if (name === '.gitignore' || name === '.npmignore') return refuse(`the tarball has ${path}`, 'Exclude it');
  if (path === 'package/binding.gyp') return refuse('binding.gyp makes npm compile at install', 'Publish the built files');
  return undefined;
}

const installScripts = ['preinstall', 'install', 'postinstall'] as const;
const dependencyKinds = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function manifestOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) throw refuse('the tarball has no package/package.json');
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw refuse('package/package.json is not JSON');
  }
  if (!isObject(manifest)) throw refuse('package/package.json is not an object');
  const scripts = isObject(manifest.scripts) ? manifest.scripts : {};
  const found = installScripts.filter((name) => Object.hasOwn(scripts, name));
  if (found.length > 0)
    throw refuse(`it has the install scripts ${found.join(', ')}`, 'Remove them: this registry refuses install scripts');
  if (manifest.gypfile !== undefined && manifest.gypfile !== false) throw refuse('gypfile makes npm compile at install');
  for (const member of ['bundleDependencies', 'bundledDependencies'])
    if (manifest[member] !== undefined && manifest[member] !== false)
      throw refuse(`${member} is not allowed`, 'Declare them as dependencies');
  for (const kind of dependencyKinds) {
    const ranges = manifest[kind] ?? {};
    if (!isObject(ranges)) throw refuse(`${kind} is not an object`);
    for (const [name, range] of Object.entries(ranges))
      if (typeof range !== 'string' || /^(?!npm:)[a-z+]+:|^[./~]*\/|^[\w.-]+\/[\w.-]+(#|$)/i.test(range))
        throw refuse(
          `${kind}.${name} is ${String(range).slice(0, 100)}: only version ranges are allowed`,
          'Pack with pnpm pack, which resolves them',
        );
  }
  return manifest;
}

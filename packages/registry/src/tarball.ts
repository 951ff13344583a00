import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { Refusal } from './refusal.ts';

export const maxTarball = 32 * 1024 * 1024;
export const maxManifest = 1024 * 1024;
const maxUnpacked = 128 * 1024 * 1024;
/** So many times its own size a tarball may unpack to, once that is more than `freely`: code doesn't reach a third of it. */
const maxRatio = 100;
const freely = 16 * 1024 * 1024;
const maxEntries = 20_000;

export interface Inspected {
  /** `package/package.json`, as it is inside. */
  readonly manifest: Record<string, unknown>;
  /** Digest of all files, see `digestContents`. */
  readonly contents: string;
  readonly fileCount: number;
  /** Bytes. */
  readonly unpackedSize: number;
}

/**
 * Digest of a package's files, as the kernel computes it again from what is installed: SHA-512 over one line for each file, sorted by
 * path: the file's SHA-256 in hex, two spaces, its path.
 */
export function digestContents(files: ReadonlyMap<string, string>): string {
  const lines = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, hash]) => `${hash}  ${path}\n`);
  return `sha512-${createHash('sha512').update(lines.join('')).digest('base64')}`;
}

const refuse = (why: string, fix?: string): Refusal => new Refusal('package_refused', why, fix);

/** Reads a tarball that somebody wants to publish, within limits. @throws Refusal */
export async function inspectTarball(bytes: Uint8Array): Promise<Inspected> {
  if (bytes.length > maxTarball)
    throw new Refusal('package_too_large', `the tarball has ${bytes.length} bytes, ${maxTarball} are taken`);
  const files = new Map<string, string>();
  const folded = new Set<string>();
  let manifestText: string | undefined;
  let unpackedSize = 0;
  let entries = 0;
  let fault: Refusal | undefined;

  // What would be compressed once more is no tarball: the parser's own way of unpacking has no such limits.
  const parser = new Parser({ strict: true, brotli: false, zstd: false });
  parser.on('entry', (entry: ReadEntry) => {
    fault ??= ++entries > maxEntries ? refuse(`the tarball has more than ${maxEntries} entries`) : faultOf(entry);
    const path = entry.path.slice('package/'.length);
    if (fault !== undefined || entry.type === 'Directory') return void entry.resume();
    if (folded.has(path.toLowerCase())) fault = refuse(`the tarball has ${entry.path} twice`);
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
  // Whatever is behind the end is padding: the parser would copy all of it for each piece that comes.
  let over = false;
  parser.on('eof', () => {
    over = true;
  });
  const parsed = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  // Whoever awaits hears of it below.
  parsed.catch(() => undefined);
  try {
    await pipeline(Readable.from([bytes]), createGunzip(), async (unpacked: AsyncIterable<Buffer>) => {
      const most = Math.min(maxUnpacked, Math.max(freely, maxRatio * bytes.length));
      let size = 0;
      let start = Buffer.alloc(0);
      for await (let chunk of unpacked) {
        size += chunk.length;
        if (start.length < 2) {
          // The first byte may come alone.
          start = Buffer.concat([start, chunk]);
          if (start.length < 2) continue;
          if (start[0] === 0x1f && start[1] === 0x8b) throw refuse('the tarball is compressed twice');
          chunk = start;
        }
        if (size > most) throw new Refusal('package_too_large', `the tarball unpacks to more than ${most} bytes`);
        // What is refused isn't read to its end.
        if (fault !== undefined) throw fault;
        if (!over) parser.write(chunk);
      }
      parser.end();
    });
    await parsed;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse('the tarball can not be read', 'Pack it with npm pack or pnpm pack');
  }
  if (fault !== undefined) throw fault;
  return { manifest: manifestOf(manifestText), contents: digestContents(files), fileCount: files.size, unpackedSize };
}

/** What no package may hold, whoever publishes it. */
function faultOf({ path, type }: ReadEntry): Refusal | undefined {
  if (type !== 'File' && type !== 'OldFile' && type !== 'Directory')
    return refuse(`the tarball has a ${type} (${path}): files only, no links`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name with one of them is shown as another than it is
  if (path.includes('\\') || /[\u0000-\u001f\u007f]/.test(path) || path.length > 1000)
    return refuse('the tarball has a file whose name no file may have');
  const parts = path.replace(/\/$/, '').split('/');
  if (path.startsWith('/') || parts.includes('..') || parts.includes('.') || parts.includes(''))
    return refuse(`the tarball has ${path}, which leaves its folder`);
  if (parts[0] !== 'package') return refuse(`the tarball has ${path}, which is not in package/`);
  if (parts[1] === 'node_modules') return refuse('the tarball brings its own node_modules', 'Name them as dependencies');
  const name = parts.at(-1)?.toLowerCase();
  // npm renames the one to the other when it unpacks, and what is installed would not be what was signed.
  if (name === '.gitignore' || name === '.npmignore') return refuse(`the tarball has ${path}`, 'Leave it out');
  if (path === 'package/binding.gyp') return refuse('binding.gyp makes npm compile at install', 'Publish what is built');
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
    throw refuse('package/package.json is no JSON');
  }
  if (!isObject(manifest)) throw refuse('package/package.json is no object');
  const scripts = isObject(manifest.scripts) ? manifest.scripts : {};
  const found = installScripts.filter((name) => Object.hasOwn(scripts, name));
  if (found.length > 0)
    throw refuse(`it runs ${found.join(', ')} when it is installed`, 'Packages of this registry have no install scripts');
  if (manifest.gypfile !== undefined && manifest.gypfile !== false) throw refuse('gypfile makes npm compile at install');
  for (const member of ['bundleDependencies', 'bundledDependencies'])
    if (manifest[member] !== undefined && manifest[member] !== false)
      throw refuse(`${member} is not taken`, 'Name them as dependencies');
  for (const kind of dependencyKinds) {
    const ranges = manifest[kind] ?? {};
    if (!isObject(ranges)) throw refuse(`${kind} is no object`);
    for (const [name, range] of Object.entries(ranges))
      if (typeof range !== 'string' || /^(?!npm:)[a-z+]+:|^[./~]*\/|^[\w.-]+\/[\w.-]+(#|$)/i.test(range))
        throw refuse(
          `${kind}.${name} is ${String(range).slice(0, 100)}: ranges of versions only`,
          'Pack with pnpm pack, which writes them',
        );
  }
  return manifest;
}

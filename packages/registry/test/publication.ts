import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, Header, type HeaderData } from 'tar';

export type Files = Readonly<Record<string, string>>;

/** What `npm pack` makes of a folder with these files. */
export async function packed(manifest: object, files: Files = {}): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'storeloom-package-'));
  try {
    const all: Files = { 'package.json': JSON.stringify(manifest), ...files };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of create({ cwd: dir, prefix: 'package', gzip: true, portable: true }, Object.keys(all)))
      chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export interface Entry extends Partial<HeaderData> {
  path: string;
  text?: string;
}
/** A tarball with entries that no packer makes. */
export function forged(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ text = '', ...data }) => {
    const body = Buffer.from(text);
    const header = new Header({ mode: 0o644, uid: 0, gid: 0, size: body.length, type: 'File', mtime: new Date(0), ...data });
    header.encode();
    return [header.block as Buffer, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** The body that npm sends. */
export function publication(manifest: { name: string; version: string }, tarball: Buffer, change: object = {}): object {
  const { name, version } = manifest;
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball: 'http://elsewhere.example/x.tgz' } } },
    access: null,
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: 'application/octet-stream',
        data: tarball.toString('base64'),
        length: tarball.length,
      },
    },
    ...change,
  };
}

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Package {
  readonly name: string;
  readonly version: string;
  [key: string]: unknown;
}
interface Published {
  readonly manifest: Package;
  readonly tarball: Buffer;
}

/** A package registry of these tests: packuments and tarballs, no more. */
export interface StaticRegistry {
  readonly url: string;
  /** Answers 403 with this reason while it is set. */
  refusal: string | undefined;
  publish(tarball: Buffer): void;
  close(): Promise<void>;
}

export async function staticRegistry(): Promise<StaticRegistry> {
  const packages = new Map<string, Map<string, Published>>();
  const server = createServer((req, res) => {
    const path = decodeURIComponent(new URL(req.url ?? '/', 'http://localhost').pathname).slice(1);
    const json = (status: number, body: object): void => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (registry.refusal !== undefined) return json(403, { error: registry.refusal });
    const [name = '', file] = path.split('/-/');
    const versions = packages.get(name);
    if (!versions) return json(404, { error: `no package ${name}` });
    if (file !== undefined) {
      const found = versions.get(file.replace(/^.*-(\d.*)\.tgz$/, '$1'));
      return found ? void res.writeHead(200).end(found.tarball) : json(404, { error: `no file ${file}` });
    }
    const short = name.slice(name.lastIndexOf('/') + 1);
    json(200, {
      name,
      'dist-tags': { latest: [...versions.keys()].at(-1) },
      versions: Object.fromEntries(
        [...versions].map(([version, { manifest, tarball }]) => [
          version,
          {
            ...manifest,
            dist: {
              tarball: `${registry.url}/${name}/-/${short}-${version}.tgz`,
              integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
            },
          },
        ]),
      ),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const registry: StaticRegistry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusal: undefined,
    publish(tarball) {
      const manifest = manifestOf(tarball);
      const versions = packages.get(manifest.name) ?? new Map<string, Published>();
      packages.set(manifest.name, versions.set(manifest.version, { manifest, tarball }));
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return registry;
}

const manifestOf = (tarball: Buffer): Package =>
  JSON.parse(execFileSync('tar', ['-xzOf', '-', 'package/package.json'], { input: tarball, encoding: 'utf8' })) as Package;

/** The packed packages of a folder, each as a copy that `edit` may change: `folder` is the package, `manifest` its package.json. */
export function repack(packs: string, edit: (manifest: Package, folder: string) => Package | undefined): Buffer[] {
  const work = mkdtempSync(join(tmpdir(), 'storeloom-repack-'));
  try {
    return readdirSync(packs)
      .filter((name) => name.endsWith('.tgz'))
      .map((name) => {
        rmSync(join(work, 'package'), { recursive: true, force: true });
        execFileSync('tar', ['-xzf', join(packs, name), '-C', work]);
        const folder = join(work, 'package');
        const file = join(folder, 'package.json');
        const manifest = edit(JSON.parse(readFileSync(file, 'utf8')) as Package, folder);
        if (manifest) writeFileSync(file, JSON.stringify(manifest));
        return execFileSync('tar', ['-czf', '-', '-C', work, 'package'], { maxBuffer: 2 ** 26 });
      });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

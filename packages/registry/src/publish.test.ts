import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { type Entry, forged, packed, publication } from '../test/publication.ts';
import type { Version } from './packument.ts';
import { contentsMessage, prepared } from './publish.ts';
import { openSigner } from './signing.ts';
import { digestContents, inspectTarball } from './tarball.ts';

const dir = mkdtempSync(join(tmpdir(), 'storeloom-signer-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const signer = openSigner(dir);
const manifest = { name: '@acme/plugin-hotel', version: '1.0.0', storeloom: { plugin: 'hotel' } };
const text = JSON.stringify(manifest);
const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: Error) => error.message,
  );
const publish = (tarball: Buffer, change: object = {}) => prepared(manifest.name, publication(manifest, tarball, change), signer);
const stored = async (tarball: Buffer, change: object = {}): Promise<Version> =>
  ((await publish(tarball, change)).versions as Record<string, Version>)['1.0.0'] as Version;

describe('a publication', () => {
  test('uses the package.json of the tarball and ignores the metadata of the client', async () => {
    const tarball = await packed({ ...manifest, dependencies: { zod: '^4.0.0' }, bin: './cli.js', _secret: 1, dist: { x: 1 } });
    const claimed = { '1.0.0': { ...manifest, scripts: { postinstall: 'evil' }, storeloom: { plugin: 'free' }, dist: {} } };
    const version = await stored(tarball, { versions: claimed });
    expect(version).toMatchObject({
      ...manifest,
      _id: '@acme/plugin-hotel@1.0.0',
      dependencies: { zod: '^4.0.0' },
      bin: { 'plugin-hotel': './cli.js' },
      dist: {
        integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
        shasum: createHash('sha1').update(tarball).digest('hex'),
        fileCount: 1,
      },
    });
    expect(Object.keys(version)).not.toContain('scripts');
    expect(Object.keys(version)).not.toContain('_secret');
  });

  test('is signed as npm signs, and its files for the kernel', async () => {
    const tarball = await packed(manifest, { 'dist/index.js': 'export {};\n' });
    const { dist } = await stored(tarball);
    const { integrity, signatures, contents } = dist as {
      integrity: string;
      signatures: { keyid: string; sig: string }[];
      contents: { digest: string; keyid: string; sig: string };
    };
    const [key] = signer.keys();
    const spki = createPublicKey({ key: Buffer.from(key?.key as string, 'base64'), format: 'der', type: 'spki' });
    const holds = (message: string, sig: string): boolean =>
      verify('sha256', Buffer.from(message), spki, Buffer.from(sig, 'base64'));
    expect(signatures).toHaveLength(1);
    expect([signatures[0]?.keyid, contents.keyid]).toEqual([key?.keyid, key?.keyid]);
    expect(holds(`@acme/plugin-hotel@1.0.0:${integrity}`, signatures[0]?.sig as string)).toBe(true);
    expect(holds(`@acme/plugin-hotel@1.0.1:${integrity}`, signatures[0]?.sig as string)).toBe(false);
    expect(holds(contentsMessage(manifest.name, '1.0.0', contents.digest), contents.sig)).toBe(true);
    const hash = (file: string): string => createHash('sha256').update(file).digest('hex');
    expect(contents.digest).toBe(
      digestContents(
        new Map([
          ['dist/index.js', hash('export {};\n')],
          ['package.json', hash(text)],
        ]),
      ),
    );
    // The kernel computes the same: this value stands in its tests too.
    expect(
      digestContents(
        new Map([
          ['b', hash('2')],
          ['a/c', hash('1')],
        ]),
      ),
    ).toBe('sha512-ngydu3x+mU7kM15zgA3vO+/ul/bQv1sAHub0RkIeS9CEHMPVgnJOXlANaSS8lgrTNqix696O9a65SCW6WU0duw==');
  });

  test.each<[string, object, RegExp]>([
    ['another name', { name: '@acme/other' }, /can not be published as/],
    ['two versions', { versions: { '1.0.0': {}, '1.0.1': {} } }, /one version/],
    ['no tarball', { _attachments: {} }, /one tarball/],
    ['no version', { versions: { latest: {} } }, /not a version/],
    ['a tag for another version', { 'dist-tags': { latest: '0.9.0' } }, /latest names 0\.9\.0/],
    ['a tag that is a range', { 'dist-tags': { '1.x': '1.0.0' } }, /not a tag/],
    ['another body', { versions: undefined }, /not a publication/],
  ])('is refused with %s', async (_, change, why) => {
    expect(await refused(publish(await packed(manifest), change))).toMatch(why);
  });

  test('is refused where the tarball is another package, or cut', async () => {
    expect(await refused(publish(await packed({ ...manifest, version: '1.0.1' })))).toMatch(/is @acme\/plugin-hotel@1\.0\.1/);
    expect(await refused(publish(await packed({ ...manifest, name: '@storeloom/core' })))).toMatch(/is @storeloom\/core/);
    expect(await refused(publish(await packed({ ...manifest, private: true })))).toMatch(/private/);
    const whole = await packed(manifest, { 'dist/index.js': 'x'.repeat(5000) });
    expect(await refused(publish(whole.subarray(0, whole.length - 20)))).toMatch(/not readable/);
    expect(await refused(publish(Buffer.from('no tarball')))).toMatch(/not readable/);
  });
});

describe('a tarball', () => {
  const inspect = (tarball: Buffer): Promise<string> => refused(inspectTarball(tarball));
  const own: Entry = { path: 'package/package.json', text };

  test('is accepted with files in package/', async () => {
    const { manifest: inside, fileCount } = await inspectTarball(forged([{ path: 'package/', type: 'Directory' }, own]));
    expect([inside, fileCount]).toEqual([manifest, 1]);
  });

  test.each<[string, Entry, RegExp]>([
    ['a symbolic link', { path: 'package/x', type: 'SymbolicLink', linkpath: '/etc/passwd' }, /SymbolicLink/],
    ['a hard link', { path: 'package/x', type: 'Link', linkpath: 'package/package.json' }, /Link/],
    ['a device', { path: 'package/x', type: 'CharacterDevice' }, /CharacterDevice/],
    ['..', { path: 'package/../../x', text: 'x' }, /outside its folder/],
    ['a path from the root', { path: '/etc/x', text: 'x' }, /outside its folder/],
    ['.', { path: 'package/./x', text: 'x' }, /outside its folder/],
    ['a backslash', { path: 'package/..\\x', text: 'x' }, /invalid name/],
    ['a line break', { path: 'package/a\nb', text: 'x' }, /invalid name/],
    ['another folder', { path: 'other/x', text: 'x' }, /not in package/],
    ['a file twice', { path: 'package/PACKAGE.json', text: '{}' }, /twice/],
    ['node_modules', { path: 'package/node_modules/x/index.js', text: 'x' }, /node_modules/],
    ['binding.gyp', { path: 'package/binding.gyp', text: '{}' }, /binding\.gyp/],
    ['.npmignore', { path: 'package/dist/.npmignore', text: '' }, /\.npmignore/],
  ])('is refused with %s', async (_, entry, why) => {
    expect(await inspect(forged([own, entry]))).toMatch(why);
    expect(await inspect(forged([entry, own]))).toMatch(why);
  });

  test.each<[string, object, RegExp]>([
    ['postinstall', { scripts: { postinstall: 'node x' } }, /install scripts postinstall/],
    ['install', { scripts: { install: '' } }, /install scripts install/],
    ['preinstall', { scripts: { preinstall: 'node x', test: 'x' } }, /install scripts preinstall/],
    ['gypfile', { gypfile: true }, /gypfile/],
    ['bundled dependencies', { bundledDependencies: ['x'] }, /bundledDependencies/],
    ['a git dependency', { dependencies: { x: 'git+ssh://git@host/x.git' } }, /dependencies\.x/],
    ['a web address', { optionalDependencies: { x: 'https://host/x.tgz' } }, /optionalDependencies\.x/],
    ['a folder', { dependencies: { x: 'file:../x' } }, /dependencies\.x/],
    ['a repository', { dependencies: { x: 'owner/x#main' } }, /dependencies\.x/],
    ['a workspace range', { peerDependencies: { x: 'workspace:*' } }, /peerDependencies\.x/],
  ])('is refused with %s', async (_, change, why) => {
    expect(await inspect(await packed({ ...manifest, ...change }))).toMatch(why);
  });

  test('may name ranges, tags and other names', async () => {
    const dependencies = {
      a: '^1.0.0',
      b: '>=1 <3 || 4.x',
      c: 'latest',
      d: 'npm:other@1.0.0',
      e: '*',
      f: '1.0.0 - 2.0.0',
      g: '',
    };
    expect(await inspect(await packed({ ...manifest, dependencies, scripts: { build: 'tsc' } }))).toBe('accepted');
  });

  test('is refused without a valid package.json', async () => {
    expect(await inspect(forged([{ path: 'package/x', text: 'x' }]))).toMatch(/no package\/package\.json/);
    expect(await inspect(forged([{ ...own, text: '{' }]))).toMatch(/not JSON/);
    expect(await inspect(forged([{ ...own, text: '[]' }]))).toMatch(/not an object/);
  });

  test('is refused when it is too large, packed or unpacked', async () => {
    expect(await inspect(Buffer.alloc(32 * 1024 * 1024 + 1))).toMatch(/^package_too_large/);
    const filler = JSON.stringify({ ...manifest, description: 'x'.repeat(1024 * 1024) });
    expect(await inspect(forged([{ ...own, text: filler }]))).toMatch(/^package_too_large: package\.json/);
    const many = Array.from({ length: 20_001 }, (__, i): Entry => ({ path: `package/${i}`, text: '' }));
    expect(await inspect(forged([own, ...many]))).toMatch(/more than 20000 entries/);
  });
});

describe('a bomb', () => {
  const zeros = (megabytes: number): Buffer =>
    forged([
      { path: 'package/package.json', text },
      { path: 'package/x', text: '\0'.repeat(megabytes * 1024 * 1024) },
    ]);
  const bombs: [string, () => Buffer, RegExp][] = [
    ['of more than a package may have', () => gzipSync(Buffer.alloc(129 * 1024 * 1024), { level: 0 }), /^package_too_large/],
    ['of a file that is a thousand times its tarball', () => zeros(20), /unpacks to more than 16777216 bytes/],
    [
      'whose parts follow each other',
      () => Buffer.concat(Array.from({ length: 20 }, () => gzipSync(Buffer.alloc(1024 * 1024)))),
      /unpacks to more than 16777216 bytes/,
    ],
    ['in a bomb', () => gzipSync(zeros(20)), /compressed twice/],
    [
      'in a bomb, in two parts',
      () => {
        const inner = zeros(20);
        return Buffer.concat([gzipSync(inner.subarray(0, 1)), gzipSync(inner.subarray(1))]);
      },
      /compressed twice/,
    ],
    ['in Brotli', () => gzipSync(brotli()), /not readable/],
    ['in Zstandard', () => gzipSync(zstdCompressSync(Buffer.alloc(8 * 1024 * 1024))), /not readable/],
    ['in Brotli alone', brotli, /not readable/],
    [
      'that says it is larger than it is',
      () => forged([{ path: 'package/package.json', text: '{}', size: 8 * 1024 ** 3 - 1 }]),
      /not readable/,
    ],
  ];
  function brotli(): Buffer {
    return brotliCompressSync(Buffer.alloc(8 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  }

  test.each(bombs)('%s is refused', async (_, make, why) => {
    expect(await refused(inspectTarball(make()))).toMatch(why);
  });

  test('costs no memory: reading eight in parallel uses much less than their unpacked size', () => {
    // Within every limit, and read to its end: then it has no package.json.
    const bomb = forged([
      { path: 'package/noise', text: randomBytes(1_200_000).toString('hex') },
      { path: 'package/zeros', text: '\0'.repeat(100 * 1024 * 1024) },
    ]);
    writeFileSync(join(dir, 'bomb.tgz'), bomb);
    const peak = (times: number): number => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        [
          '--conditions=storeloom-source',
          '--no-warnings',
          '--input-type=module',
          '--eval',
          reader,
          join(dir, 'bomb.tgz'),
          `${times}`,
        ],
        { cwd: import.meta.dirname, encoding: 'utf8' },
      );
      expect(status, stderr).toBe(0);
      return Number(stdout) / 1e6;
    };
    const [without, reading] = [peak(0), peak(8)];
    console.info(`a bomb of 100 MB, eight in parallel: ${(reading - without).toFixed(0)} MB of memory at most`);
    expect(reading - without).toBeLessThan(100);
  });
  const reader = `
    import { readFileSync } from 'node:fs';
    import { inspectTarball } from './tarball.ts';
    const [bomb, times] = process.argv.slice(1);
    const bytes = readFileSync(bomb);
    let most = 0;
    const look = () => (most = Math.max(most, process.memoryUsage.rss()));
    look();
    setInterval(look, 2).unref();
    const ends = await Promise.allSettled(Array.from({ length: Number(times) }, () => inspectTarball(bytes)));
    if (!ends.every(({ reason }) => /no package\\/package.json/.test(reason?.message))) throw new Error(ends[0].reason);
    console.log(most);
  `;

  test('is not what holds much because it is large', async () => {
    const content = (i: number): string => createHash('shake256', { outputLength: 500_000 }).update(`${i}`).digest('hex');
    const files = Object.fromEntries(Array.from({ length: 18 }, (_, i) => [`dist/${i}.js`, content(i)]));
    expect((await inspectTarball(await packed(manifest, files))).unpackedSize).toBeGreaterThan(16 * 1024 * 1024);
  });
});

describe('keys', () => {
  test('are private, stay the same, and what an old one has signed holds after a rotation', () => {
    const place = mkdtempSync(join(tmpdir(), 'storeloom-keys-'));
    try {
      const first = openSigner(place);
      expect(statSync(join(place, 'signing-keys.json')).mode & 0o777).toBe(0o600);
      const before = first.sign('x').keyid;
      expect(openSigner(place).keys()).toEqual(first.keys());
      const made = first.rotate();
      expect(made.keyid).not.toBe(before);
      expect(first.sign('x').keyid).toBe(made.keyid);
      expect(openSigner(place).keys()).toMatchObject([
        { keyid: made.keyid, expires: null },
        { keyid: before, expires: expect.stringMatching(/Z$/) },
      ]);
      expect(openSigner(place).sign('x').keyid).toBe(made.keyid);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});

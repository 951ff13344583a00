import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestContents } from './contents.ts';
import { type LoadOptions, loadPlugins } from './load.ts';
import { foundationPlugins } from './manifest.ts';
import { provenanceFault, type RegistryTrust, registryTrust, type SignedContents } from './provenance.ts';
import { collectSignatures } from './signatures.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'storeloom-provenance-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function key(keyid: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { keyid, key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'), privateKey };
}
const ours = key('SHA256:ours');
const foreign = key('SHA256:foreign');
const trust: RegistryTrust = registryTrust.parse({
  url: 'https://npm.example',
  keys: [{ keyid: ours.keyid, key: ours.key }],
});
const signedBy = (
  by: { keyid: string; privateKey: KeyObject },
  name: string,
  version: string,
  digest: string,
): SignedContents => ({
  digest,
  keyid: by.keyid,
  sig: sign('sha256', Buffer.from(`${name}@${version}:contents:${digest}`), by.privateKey).toString('base64'),
});

/** Puts a plugin into the installation's node_modules; gives its folder. */
function put(name: string, change: object = {}, parent = join(base, 'node_modules')): string {
  const dir = join(parent, '@acme', `plugin-${name}`);
  mkdirSync(join(dir, 'dist'), { recursive: true });
  writeFileSync(join(dir, 'dist/index.js'), `export default Object.freeze({ contract: 1, name: '${name}' });\n`);
  const manifest = {
    name: `@acme/plugin-${name}`,
    version: '1.0.0',
    type: 'module',
    exports: './dist/index.js',
    peerDependencies: { '@storeloom/plugin-sdk': '*' },
    storeloom: { plugin: name },
    ...change,
  };
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
  return dir;
}
const files = new Map<string, unknown>();
const dataDir = {
  readJson: (name: string) => files.get(name),
  writeJson: (name: string, value: unknown) => void files.set(name, JSON.parse(JSON.stringify(value))),
};
beforeEach(() => files.clear());

interface Tried {
  /** What the registry answers for a package. */
  answer?: (name: string) => Response | Promise<Response>;
  trust?: RegistryTrust;
}
const asked: string[] = [];
beforeEach(() => void asked.splice(0));
async function boot(list: string[], { answer, trust: given = trust }: Tried = {}) {
  const imported: string[] = [];
  const options: LoadOptions = { dir: base, list, licence: { covers: () => ({ ok: true }) }, sdkVersion: '1.0.0' };
  const { readManifests } = await import('./load.ts');
  const signed = await collectSignatures({
    dataDir,
    trust: given,
    candidates: readManifests(options),
    token: 'slr_token',
    fetch: async (url, init) => {
      asked.push(`${String(url)} ${new Headers(init?.headers).get('authorization')}`);
      return (await answer?.(decodeURIComponent(String(url)))) ?? Response.error();
    },
  });
  const registry = await loadPlugins({
    ...options,
    provenance: (candidate) => provenanceFault(candidate, { trust: given, signed }),
    importModule: (url, { name }) => {
      imported.push(name);
      return import(url);
    },
  });
  const states = registry.states().filter(({ name }) => !(foundationPlugins as readonly string[]).includes(name));
  return {
    imported,
    states: Object.fromEntries(states.map(({ name, state, reason }) => [name, reason ? `${state}/${reason.code}` : state])),
    said: states.map(({ reason }) => reason?.message ?? '').join('\n'),
  };
}
const signs = (contents: SignedContents | undefined) => (): Response =>
  Response.json({ dist: contents === undefined ? {} : { contents } });
const unsigned = 'unlicensed/signature_invalid';

describe('digestContents', () => {
  test('is what the registry signs: this value stands in its tests too', () => {
    mkdirSync(join(base, 'a'));
    mkdirSync(join(base, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(base, 'b'), '2');
    writeFileSync(join(base, 'a/c'), '1');
    writeFileSync(join(base, 'node_modules/.bin/x'), 'left out');
    expect(digestContents(base)).toBe(
      'sha512-ngydu3x+mU7kM15zgA3vO+/ul/bQv1sAHub0RkIeS9CEHMPVgnJOXlANaSS8lgrTNqix696O9a65SCW6WU0duw==',
    );
  });
});

describe('a package of the registry', () => {
  const name = '@acme/plugin-hotel';
  const genuine = (dir: string) => signs(signedBy(ours, name, '1.0.0', digestContents(dir)));

  test('is imported with its signature, which is asked for once', async () => {
    const dir = put('hotel');
    const first = await boot([name], { answer: genuine(dir) });
    expect(first).toMatchObject({ imported: ['hotel'], states: { hotel: 'ready' } });
    expect(asked).toEqual(['https://npm.example/@acme%2fplugin-hotel/1.0.0 Bearer slr_token']);
    const second = await boot([name]);
    expect([second.states, asked.length]).toEqual([{ hotel: 'ready' }, 1]);
  });

  test('is not imported once a byte of it is another, a file is more or less, or a link', async () => {
    const dir = put('hotel');
    const answer = genuine(dir);
    const changes: [() => void, RegExp][] = [
      [() => appendFileSync(join(dir, 'dist/index.js'), ' '), /not those that were signed/],
      [() => rmSync(join(dir, 'dist/index.js')), /./],
      [() => writeFileSync(join(dir, 'dist/more.js'), ''), /not those that were signed/],
      [() => symlinkSync('/etc/passwd', join(dir, 'dist/more.js')), /dist\/more\.js is a link/],
    ];
    for (const [change, why] of changes) {
      put('hotel');
      rmSync(join(dir, 'dist/more.js'), { force: true });
      expect((await boot([name], { answer })).states).toEqual({ hotel: 'ready' });
      change();
      const { imported, states, said } = await boot([name], { answer });
      expect(imported).toEqual([]);
      expect(states.hotel).not.toBe('ready');
      expect(said).toMatch(why);
    }
  });

  test.each<[string, (dir: string) => Tried['answer'], RegExp]>([
    ['it is not signed', () => signs(undefined), /it is not signed/],
    ['another key has signed it', (dir) => signs(signedBy(foreign, name, '1.0.0', digestContents(dir))), /none of the keys/],
    [
      'another key has signed it with our key id',
      (dir) => signs(signedBy({ ...foreign, keyid: ours.keyid }, name, '1.0.0', digestContents(dir))),
      /none of the keys/,
    ],
    ['another version was signed', (dir) => signs(signedBy(ours, name, '1.0.1', digestContents(dir))), /none of the keys/],
    ['another package was signed', (dir) => signs(signedBy(ours, '@acme/x', '1.0.0', digestContents(dir))), /none of the keys/],
    [
      'other files were signed',
      () => signs(signedBy(ours, name, '1.0.0', `sha512-${createHash('sha512').update('x').digest('base64')}`)),
      /not those that were signed/,
    ],
    [
      'the registry refuses',
      () => () => Response.json({ error: 'license_expired: the licence ended' }, { status: 403 }),
      /license_expired: the licence ended/,
    ],
    ['the registry returns another response', () => () => new Response('<html>'), /can't be reached/],
    [
      'the registry is unreachable',
      () => () => Promise.reject(new TypeError('fetch failed')),
      /can't be reached \(fetch failed\)/,
    ],
  ])('is not imported where %s; the others are', async (_, answerFor, why) => {
    const dir = put('hotel');
    const own = put('own', {}, join(base, 'plugins'));
    const { imported, states, said } = await boot([name, own], { answer: answerFor(dir) as NonNullable<Tried['answer']> });
    expect(imported).toEqual(['own']);
    expect(states).toEqual({ hotel: unsigned, own: 'ready' });
    expect(said).toMatch(why);
    // What was wrong isn't kept: with the right answer it runs.
    expect((await boot([name], { answer: genuine(dir) })).states).toEqual({ hotel: 'ready' });
  });

  test('is not imported with an install script, even if it is signed', async () => {
    const dir = put('hotel', { scripts: { postinstall: 'node evil.js' } });
    const { imported, states, said } = await boot([name], { answer: genuine(dir) });
    expect([imported, states]).toEqual([[], { hotel: unsigned }]);
    expect(said).toMatch(/runs postinstall/);
  });

  test('what was kept is believed by its signature only', async () => {
    const dir = put('hotel');
    const forged = { ...signedBy(foreign, name, '1.0.0', digestContents(dir)), keyid: ours.keyid };
    files.set('package-signatures.json', { [`${name}@1.0.0`]: forged });
    expect((await boot([name])).states).toEqual({ hotel: unsigned });
    files.set('package-signatures.json', 'rubbish');
    expect((await boot([name], { answer: genuine(dir) })).states).toEqual({ hotel: 'ready' });
  });
});

describe('what needs no signature', () => {
  test('own code: a folder, a package of the own workspace; and what is named', async () => {
    const folder = put('folder', {}, join(base, 'plugins'));
    const linked = put('linked', {}, join(base, 'workspace'));
    put('named');
    mkdirSync(join(base, 'node_modules/@acme'), { recursive: true });
    symlinkSync(linked, join(base, 'node_modules/@acme/plugin-linked'));
    const { states } = await boot([folder, '@acme/plugin-linked', '@acme/plugin-named'], {
      trust: { ...trust, unsigned: ['@acme/plugin-named'] },
    });
    expect(states).toEqual({ folder: 'ready', linked: 'ready', named: 'ready' });
    expect(asked).toEqual([]);
  });
});

describe('registry of storeloom.config', () => {
  const with_ = (change: object) => registryTrust.safeParse({ url: 'https://npm.example', keys: trust.keys, ...change }).success;
  test('takes a safe address and keys of a registry', () => {
    expect(with_({})).toBe(true);
    expect(with_({ url: 'http://127.0.0.1:4873' })).toBe(true);
    for (const url of ['http://npm.example', 'ftp://npm.example', 'https://u:p@npm.example', 'https://npm.example?x', 'npm'])
      expect(with_({ url }), url).toBe(false);
    const { publicKey } = generateKeyPairSync('ed25519');
    const other = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    for (const wrong of [[], [{ keyid: 'x', key: 'rubbish' }], [{ keyid: 'x', key: other }], [{ keyid: 'x' }]])
      expect(with_({ keys: wrong })).toBe(false);
  });
});

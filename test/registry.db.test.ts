import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createDatabase, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packed, publication } from '../packages/registry/test/publication.ts';
import type { Json } from '../plugins/checkout/test/goods.ts';
import { type Issued, issue as issueBy, issuingShop } from '../plugins/platform/test/issuer.ts';
import { serving } from './support/installation.ts';
import { processOf, run, startApi } from './support/processes.ts';
import { type RegistryProcess, registryScript, startRegistry, type Workplace, workplace } from './support/registry.ts';

const hotel = '@acme/plugin-hotel';
let shop: TestShop;
let registry: RegistryProcess;
let author: Workplace;
let publisher: string;
const places: { remove(): void }[] = [];
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'storeloom-registry-'));
  places.push({ remove: () => rmSync(dir, { recursive: true, force: true }) });
  return dir;
};
const place = (scope = '@acme'): Workplace => {
  const made = workplace(registry.url, scope);
  places.push(made);
  return made;
};

beforeAll(async () => {
  shop = (await issuingShop()).issuer;
  registry = await startRegistry(shop.bases[0] as string, folder());
  const made = await run(['license', 'token', 'publisher', '@acme/*', '--name', 'author'], processOf(shop));
  expect(made.code, made.stderr).toBe(0);
  publisher = made.stdout.trim();
  author = place();
  for (const version of ['1.0.0', '1.1.0', '2.0.0'])
    expect(await npmPublish(author, publisher, { name: hotel, version })).toBe(0);
  expect(await npmPublish(author, publisher, { name: '@acme/plugin-spa', version: '1.0.0' })).toBe(0);
});
afterAll(async () => {
  await registry?.stop();
  await shop?.stop();
  for (const each of places) each.remove();
});

const manifestOf = ({ name, version }: { name: string; version: string }) => ({
  name,
  version,
  type: 'module',
  exports: './index.js',
  storeloom: { plugin: name.replace('@acme/plugin-', '') },
});
async function npmPublish(at: Workplace, token: string | undefined, what: { name: string; version: string }, ...args: string[]) {
  const dir = `packages/${what.version}-${what.name.replace('/', '-')}`;
  at.write(`${dir}/package.json`, JSON.stringify(manifestOf(what)));
  at.write(`${dir}/index.js`, `export default '${what.version}';\n`);
  const { code, stdout, stderr } = await at.npm(token, 'publish', `./${dir}`, ...args);
  if (code !== 0) return stdout + stderr;
  return code;
}
const issue = (change: object = {}): Promise<Issued> => issueBy(shop, { plugins: { hotel: '^1.0.0' }, ...change });
async function tokenOf(licence: Issued, rotate = false): Promise<string> {
  const { body, text } = await shop.a.guest.post<{ token: string }>('/api/licensing/registry-token', {
    key: licence.key,
    rotate,
  });
  expect(body.token, text).toBeDefined();
  return body.token;
}
const ask = (path: string, token?: string, init: RequestInit = {}): Promise<Response> =>
  fetch(registry.url + path, { ...init, headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...init.headers } });
const json = async (answer: Response): Promise<Json> => (await answer.json()) as Json;
const put = (path: string, token: string | undefined, body: unknown): Promise<Response> =>
  ask(path, token, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
/** All requests that could reveal a package. */
const ways = [
  `/${hotel.replace('/', '%2f')}`,
  `/${hotel}`,
  `/${hotel}/1.0.0`,
  `/${hotel}/latest`,
  `/${hotel}/-/plugin-hotel-1.0.0.tgz`,
  `/-/package/${hotel.replace('/', '%2f')}/dist-tags`,
  '/-/v1/search?text=hotel',
  '/-/whoami',
];

/** What `npm audit signatures` does with each package, by npm's own code: that command itself wants the public registry's keys from the net. */
async function verifiedByNpm(token: string, spec: string, keys: object[] = registry.keys): Promise<object> {
  const npm = (process.env.PATH ?? '')
    .split(':')
    .map((dir) => join(dir, 'npm'))
    .find((path) => existsSync(path)) as string;
  const pacote = createRequire(realpathSync(npm))('pacote') as { manifest(spec: string, options: object): Promise<object> };
  const { host } = new URL(registry.url);
  return pacote.manifest(spec, {
    registry: registry.url,
    verifySignatures: true,
    fullMetadata: true,
    cache: folder(),
    [`//${host}/:_authToken`]: token,
    [`//${host}/:_keys`]: keys.map((key) => ({
      expires: null,
      ...key,
      pemkey: `-----BEGIN PUBLIC KEY-----\n${(key as { key: string }).key}\n-----END PUBLIC KEY-----`,
    })),
  });
}
const otherKey = () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') };
};

describe('a shop with a licence', () => {
  it('installs the newest version that it covers, with a signature that npm verifies', async () => {
    const token = await tokenOf(await issue());
    const at = place();
    const installed = await at.npm(token, 'install', '--ignore-scripts', hotel);
    expect(installed.code, installed.stderr).toBe(0);
    const read = (path: string): string => readFileSync(join(at.dir, path), 'utf8');
    expect(JSON.parse(read(`node_modules/${hotel}/package.json`))).toMatchObject({ name: hotel, version: '1.1.0' });
    expect(read('package-lock.json')).toMatch(/"integrity": "sha512-/);
    expect(await verifiedByNpm(token, `${hotel}@1.1.0`)).toMatchObject({ name: hotel, version: '1.1.0' });
    const [key] = registry.keys;
    await expect(verifiedByNpm(token, `${hotel}@1.1.0`, [{ ...key, keyid: 'SHA256:other' }])).rejects.toThrow(
      /no corresponding public key/,
    );
    await expect(verifiedByNpm(token, `${hotel}@1.1.0`, [{ ...otherKey(), keyid: key?.keyid }])).rejects.toThrow(
      /invalid registry signature/,
    );
    // From the lock file, and with the other package manager.
    rmSync(join(at.dir, 'node_modules'), { recursive: true });
    const again = await at.npm(token, 'ci', '--ignore-scripts');
    expect(again.code, again.stderr).toBe(0);
    const other = place();
    const added = await other.pnpm(token, 'add', '--ignore-scripts', hotel);
    expect(added.code, added.stdout + added.stderr).toBe(0);
    expect(existsSync(join(other.dir, 'node_modules', hotel, 'index.js'))).toBe(true);
  });

  it('sees of packuments, tags and searches what it covers', async () => {
    const token = await tokenOf(await issue());
    const accept = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*';
    for (const headers of [{}, { accept }] as Record<string, string>[]) {
      const answer = await ask(`/${hotel.replace('/', '%2f')}`, token, { headers });
      const text = await answer.text();
      const packument = JSON.parse(text);
      expect(Object.keys(packument.versions)).toEqual(['1.0.0', '1.1.0']);
      expect(packument['dist-tags']).toEqual({ latest: '1.1.0' });
      expect(text).not.toContain('2.0.0');
      expect(packument.versions['1.1.0'].dist.tarball).toBe(`${registry.url}/${hotel}/-/plugin-hotel-1.1.0.tgz`);
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      expect(answer.headers.get('vary')).toMatch(/authorization/i);
      const etag = answer.headers.get('etag') as string;
      expect((await ask(`/${hotel}`, token, { headers: { ...headers, 'if-none-match': etag } })).status).toBe(304);
      // Another licence gets another answer, and its own tag.
      const all = await tokenOf(await issue({ plugins: { '*': '*' } }));
      const whole = await ask(`/${hotel}`, all, { headers: { ...headers, 'if-none-match': etag } });
      expect([whole.status, Object.keys((await json(whole)).versions)]).toEqual([200, ['1.0.0', '1.1.0', '2.0.0']]);
    }
    const search = async (of: string) =>
      (await json(await ask('/-/v1/search?text=plugin', of))).objects.map((row: { package: object }) => row.package);
    expect(await search(token)).toMatchObject([{ name: hotel, version: '1.1.0' }]);
    expect(await search(await tokenOf(await issue({ plugins: { nothing: '*' } })))).toEqual([]);
    const tags = await ask(`/-/package/${hotel}/dist-tags`, token);
    expect(await tags.json()).toEqual({ latest: '1.1.0' });
    const tarball = await ask(`/${hotel}/-/plugin-hotel-1.1.0.tgz`, token);
    expect([tarball.status, (await tarball.arrayBuffer()).byteLength > 100]).toEqual([200, true]);
  });

  it('has of later versions those that were published before its updates ended', async () => {
    const packument = await json(await ask(`/${hotel}`, publisher));
    const token = await tokenOf(await issue({ plugins: { hotel: '*' }, updatesUntil: packument.time['1.1.0'] }));
    expect(Object.keys((await json(await ask(`/${hotel}`, token))).versions)).toEqual(['1.0.0', '1.1.0']);
    const refused = await ask(`/${hotel}/-/plugin-hotel-2.0.0.tgz`, token);
    expect([refused.status, (await json(refused)).error]).toEqual([
      403,
      expect.stringMatching(/^version_not_licensed: .*2\.0\.0.*Install @acme\/plugin-hotel@1\.1\.0/),
    ]);
  });
});

describe('a refusal', () => {
  const said = async (token: string | undefined, spec = hotel): Promise<string> => {
    const { code, stdout, stderr } = await place().npm(token, 'install', '--ignore-scripts', spec);
    expect(code).not.toBe(0);
    return stdout + stderr;
  };

  it('is printed by npm with its cause, and what to do', async () => {
    expect(await said(undefined)).toMatch(/403[^\n]*token_(missing|revoked): @acme\/plugin-hotel[^\n]*NPM_REGISTRY_TOKEN/);
    const licence = await issue();
    const old = await tokenOf(licence);
    await tokenOf(licence, true);
    expect(await said(old)).toMatch(/403[^\n]*token_revoked: @acme\/plugin-hotel[^\n]*NPM_REGISTRY_TOKEN/);
    const token = await tokenOf(licence);
    expect(await said(token, '@acme/plugin-spa')).toMatch(/403[^\n]*not_in_license: @acme\/plugin-spa[^\n]*entitlement spa/);
    const none = await tokenOf(await issue({ plugins: { hotel: '^3.0.0' } }));
    expect(await said(none)).toMatch(/403[^\n]*version_not_licensed: @acme\/plugin-hotel[^\n]*\^3\.0\.0/);
    const over = await issue({ grace: 0 });
    await shop.rows(`update platform_license set expires_at = now() - interval '1 day' where id = $1`, [over.id]);
    expect(await said(await tokenOf(over))).toMatch(/403[^\n]*license_expired: @acme\/plugin-hotel[^\n]*Renew/);
  });

  it('without a token stands at every way, as 403 with a body and a notice', async () => {
    for (const path of [...ways, '/-/all', '/-/npm/v1/tokens', '/', '/-/verdaccio/data/packages', '/nothing']) {
      const answer = await ask(path);
      const { error } = (await answer.json()) as { error: string };
      expect([path, answer.status, error]).toEqual([path, 403, expect.stringMatching(/^token_missing: /)]);
      expect(answer.headers.get('npm-notice')).toContain('token_missing: ');
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
    const keys = (await (await ask('/-/npm/v1/keys')).json()) as { keys: object[] };
    expect(keys.keys).toEqual(registry.keys);
  });

  it('refuses all requests of Verdaccio for sign-in and unpublishing', async () => {
    const token = await tokenOf(await issue({ plugins: { '*': '*' } }));
    for (const who of [token, publisher])
      for (const [method, path] of [
        ['PUT', '/-/user/org.couchdb.user:me'],
        ['POST', '/-/npm/v1/tokens'],
        ['GET', '/-/npm/v1/user'],
        ['GET', '/-/all'],
        ['DELETE', `/${hotel}/-rev/1`],
        ['PUT', `/${hotel}/-rev/1`],
        ['DELETE', `/${hotel}/-/plugin-hotel-1.0.0.tgz/-rev/1`],
        ['PUT', `/${hotel}/-/plugin-hotel-1.0.0.tgz/x`],
      ] as const) {
        const init = { method, headers: { 'content-type': 'application/json' }, ...(method === 'GET' ? {} : { body: '{}' }) };
        const answer = await ask(path, who, init);
        expect([path, answer.status]).toEqual([path, 404]);
        await answer.body?.cancel();
      }
    expect((await ask(`/${hotel}/1.0.0`, token)).status).toBe(200);
  });
});

describe('publishing', () => {
  it('needs a publisher of that package', async () => {
    const installer = await tokenOf(await issue({ plugins: { '*': '*' } }));
    const what = { name: hotel, version: '3.0.0' };
    expect(await npmPublish(author, installer, what)).toMatch(/403[^\n]*not_a_publisher/);
    expect(await npmPublish(author, undefined, what)).not.toBe(0);
    const foreign = { name: '@other/plugin-x', version: '1.0.0' };
    expect(await npmPublish(author, publisher, foreign, '--registry', registry.url)).toMatch(/403[^\n]*not_a_publisher/);
    const tag = await put(`/-/package/${hotel}/dist-tags/latest`, installer, '1.0.0');
    expect([tag.status, (await json(tag)).error]).toEqual([403, expect.stringMatching(/^not_a_publisher/)]);
    expect(Object.keys((await json(await ask(`/${hotel}`, publisher))).versions)).toEqual(['1.0.0', '1.1.0', '2.0.0']);
  });

  it('accepts a version once, also for concurrent publications, and never changes it', async () => {
    const what = { name: '@acme/plugin-once', version: '1.0.0' };
    const bodies = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => publication(what, await packed({ ...manifestOf(what), description: `by ${i}` }))),
    );
    const answers = await Promise.all(bodies.map((body) => put('/@acme%2fplugin-once', publisher, body)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(7).fill(409)]);
    const { dist } = await json(await ask('/@acme/plugin-once/1.0.0', publisher));
    const again = await put('/@acme%2fplugin-once', publisher, bodies[0]);
    expect(again.status).toBe(409);
    expect((await json(await ask('/@acme/plugin-once/1.0.0', publisher))).dist).toEqual(dist);
  });

  it('refuses what runs at install, before anything is stored', async () => {
    const what = { name: '@acme/plugin-evil', version: '1.0.0' };
    const tarball = await packed({ ...manifestOf(what), scripts: { postinstall: 'touch /tmp/x' } });
    // What npm says beside the tarball is harmless.
    const answer = await put('/@acme%2fplugin-evil', publisher, publication({ ...manifestOf(what) }, tarball));
    expect([answer.status, (await json(answer)).error]).toEqual([400, expect.stringMatching(/^package_refused: .*postinstall/)]);
    expect((await ask('/@acme/plugin-evil', publisher)).status).toBe(404);
    expect(existsSync(join(registry.dir, 'packages/@acme/plugin-evil'))).toBe(false);
    const long = await ask('/@acme%2fplugin-evil', publisher, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: Buffer.alloc(50 * 1024 * 1024, ' '),
    }).catch(() => undefined);
    expect([413, undefined]).toContain(long?.status);
  });

  it('refuses compressed bodies from every caller', async () => {
    const body = gzipSync(Buffer.alloc(40 * 1024 * 1024, ' '));
    for (const token of [publisher, await tokenOf(await issue())]) {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      const answer = await ask('/@acme%2fplugin-evil', token, { method: 'PUT', headers, body });
      expect([answer.status, (await json(answer)).error]).toEqual([400, expect.stringMatching(/^package_refused: .*compressed/)]);
    }
  });

  it('moves tags to versions that are there', async () => {
    const tag = `/-/package/${hotel.replace('/', '%2f')}/dist-tags/next`;
    expect((await put(tag, publisher, '2.0.0')).status).toBe(201);
    expect((await put(tag, publisher, '7.0.0')).status).toBe(404);
    expect(await (await ask(`/-/package/${hotel}/dist-tags`, publisher)).json()).toEqual({ latest: '2.0.0', next: '2.0.0' });
    const installer = await tokenOf(await issue());
    expect((await ask(`/${hotel}/next`, installer)).status).toBe(404);
    expect((await ask(tag, publisher, { method: 'DELETE' })).status).toBe(201);
    expect((await ask(`/-/package/${hotel}/dist-tags/latest`, publisher, { method: 'DELETE' })).status).toBe(400);
  });
});

describe('an installation', () => {
  const names = ['served', 'bent', 'scripted', 'stranger'] as const;
  const manifest = (name: string, change: object = {}) => ({
    ...manifestOf({ name: `@acme/plugin-${name}`, version: '1.0.0' }),
    peerDependencies: { '@storeloom/plugin-sdk': '^1.0.0' },
    ...change,
  });
  const rootModules = new URL('../node_modules/@storeloom', import.meta.url).pathname;

  it('loads what the registry has signed, as it was signed, and says of the rest why it does not', async () => {
    const database = await createDatabase();
    const at = place();
    try {
      for (const name of names) {
        const tarball = await packed(manifest(name), { 'index.js': serving(name) });
        const answer = await put(`/@acme%2fplugin-${name}`, publisher, publication(manifest(name), tarball));
        expect(answer.status, await answer.text()).toBe(201);
      }
      const token = await tokenOf(await issue({ plugins: { '*': '*' } }));
      const wanted = names.filter((name) => name !== 'stranger').map((name) => `@acme/plugin-${name}`);
      const installed = await at.npm(token, 'install', '--ignore-scripts', '--legacy-peer-deps', ...wanted);
      expect(installed.code, installed.stderr).toBe(0);
      symlinkSync(rootModules, join(at.dir, 'node_modules/@storeloom'));
      appendFileSync(join(at.dir, 'node_modules/@acme/plugin-bent/index.js'), ' ');
      const scripts = { scripts: { postinstall: 'node evil.js' } };
      at.write('node_modules/@acme/plugin-scripted/package.json', JSON.stringify(manifest('scripted', scripts)));
      at.write('node_modules/@acme/plugin-stranger/package.json', JSON.stringify(manifest('stranger', { version: '1.0.1' })));
      at.write('node_modules/@acme/plugin-stranger/index.js', serving('stranger'));
      const config = {
        plugins: names.map((name) => `@acme/plugin-${name}`),
        registry: { url: registry.url, keys: registry.keys.map(({ keyid, key }) => ({ keyid, key })) },
      };
      at.write('storeloom.config.mjs', `export default ${JSON.stringify(config)};\n`);
      const options = { dir: at.dir, databaseUrl: database.url, dataDir: folder(), env: { NPM_REGISTRY_TOKEN: token } };

      const migrated = await run(['migrate', '--json'], options);
      expect(migrated.code, migrated.stderr).toBe(3);
      const unready = (JSON.parse(migrated.stdout) as Json).plugins;
      const said = Object.fromEntries(
        unready.map(({ name, state, reason }: Json) => [name, [state, reason.code, reason.message]]),
      );
      const refused = (why: RegExp) => ['unlicensed', 'signature_invalid', expect.stringMatching(why)];
      expect(said).toEqual({
        bent: refused(/not those that were signed/),
        scripted: refused(/runs postinstall/),
        stranger: refused(/no signature of it.*not_found/),
      });

      // From now on without the registry's token: what it has signed is known.
      const api = await startApi({ ...options, env: {} });
      try {
        const health = await json(await fetch(`${api.base}/health`));
        expect(health.ok).toBe(true);
        expect(health.degraded.map(({ plugin, code }: Json) => [plugin, code])).toEqual([
          ['bent', 'signature_invalid'],
          ['scripted', 'signature_invalid'],
          ['stranger', 'signature_invalid'],
        ]);
      } finally {
        expect(await api.stop()).toBe(0);
      }
    } finally {
      await database.drop();
    }
  });
});

describe('the registry', () => {
  /** A port that is free now. */
  const freePort = (): Promise<number> =>
    new Promise((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        server.close(() => resolve(port));
      });
    });
  const listens = (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/-/ping`).then(
      () => true,
      () => false,
    );

  it.each<[string, string | undefined]>([
    ['is missing', undefined],
    ['throws when it is loaded', "throw new Error('broken');"],
    ['is cut', 'export default function plugin() { return {'],
    ['is another value', 'export default 1;'],
    ['throws when it starts', "export default function plugin() { throw new Error('broken'); }"],
    [
      'lets everybody in',
      'export default function plugin() { return { allow_access: (u, p, done) => done(null, true), authenticate: (u, p, done) => done(null, ["x"]) }; }',
    ],
    [
      'has no middleware',
      `import plugin from '@storeloom/registry/verdaccio';
       export default function half(config) { const { register_middlewares: _, ...rest } = plugin(config); return rest; }`,
    ],
    [
      'checks no caller',
      `import plugin from '@storeloom/registry/verdaccio';
       export default function half(config) { const { apiJWTmiddleware: _, ...rest } = plugin(config); return { register_middlewares: rest.register_middlewares }; }`,
    ],
  ])('serves nothing where the access plugin %s', async (_, code) => {
    const plugins = folder();
    if (code !== undefined) {
      // Where `@storeloom/registry` is found, as from the real plugin's place.
      mkdirSync(join(plugins, 'verdaccio-storeloom/node_modules/@storeloom'), { recursive: true });
      writeFileSync(join(plugins, 'verdaccio-storeloom/index.mjs'), code);
      writeFileSync(join(plugins, 'verdaccio-storeloom/package.json'), '{"main":"index.mjs"}');
      symlinkSync(
        dirname(new URL('../packages/registry/package.json', import.meta.url).pathname),
        join(plugins, 'verdaccio-storeloom/node_modules/@storeloom/registry'),
      );
    }
    const port = await freePort();
    const options = { dir: folder(), licenceServer: shop.bases[0], port, plugins };
    const failure = await registryScript('test/start.ts', [JSON.stringify(options)]).then(
      async ({ child, line }) => {
        child.kill('SIGKILL');
        return `it serves at ${line}`;
      },
      (error: Error) => error.message,
    );
    expect(failure).toMatch(/^ended with [^0n]/);
    expect(failure).toMatch(/the access plugin is not active|broken/);
    expect(await listens(port)).toBe(false);
  });

  it('denies access while the licence server is unreachable', async () => {
    const dir = folder();
    const lonely = await startRegistry(`http://127.0.0.1:${await freePort()}`, dir);
    try {
      const token = await tokenOf(await issue());
      const answer = await fetch(`${lonely.url}/${hotel}`, { headers: { authorization: `Bearer ${token}` } });
      expect([answer.status, (await json(answer)).error]).toEqual([503, expect.stringMatching(/^license_unknown/)]);
      expect(answer.headers.get('retry-after')).toBe('5');
    } finally {
      expect(await lonely.stop()).toBe(0);
    }
  });

  it('keeps packages and keys over a restart, and no token', async () => {
    const token = await tokenOf(await issue());
    const before = registry.keys;
    expect(await registry.stop()).toBe(0);
    for (const file of readdirSync(registry.dir, { recursive: true, withFileTypes: true }))
      if (file.isFile()) {
        const text = readFileSync(join(file.parentPath, file.name), 'latin1');
        expect(text.includes(token) || text.includes(publisher), file.name).toBe(false);
      }
    registry = await startRegistry(shop.bases[0] as string, registry.dir);
    expect(registry.keys).toEqual(before);
    expect((await ask(`/${hotel}/1.1.0`, token)).status).toBe(200);
  });

  it('is shut to a revoked licence within half a minute, at every way', async () => {
    const licence = await issue({ plugins: { '*': '*' } });
    const token = await tokenOf(licence);
    const statuses = async (): Promise<number[]> => {
      const answers = await Promise.all(ways.map((path) => ask(path, token)));
      await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual(ways.map(() => 200));
    const revoked = await shop.operator.post('/api/super-admin/licenses/revoke', { licenseId: licence.id, reason: 'chargeback' });
    expect(revoked.status, revoked.text).toBe(200);
    const started = performance.now();
    /** Start of the last probe that still got a package; the duration of the probes doesn't matter. */
    let open = 0;
    const shut = async (): Promise<boolean> => {
      const begun = (performance.now() - started) / 1000;
      const isShut = (await statuses()).every((status) => status === 403);
      if (!isShut) open = begun;
      return isShut;
    };
    await expect.poll(shut, { timeout: 90_000, interval: 1000 }).toBe(true);
    console.log(`a revoked licence got its last package of the registry ${open.toFixed(1)} s after that`);
    expect(open).toBeLessThan(32);
  });
});

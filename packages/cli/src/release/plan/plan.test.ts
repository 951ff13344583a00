import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../../usage-error.ts';
import { planUpgrade } from './plan.ts';

let project: string;
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
function write(path: string, content: unknown): void {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : json(content));
}
const installed = (name: string, version: string, more: object = {}): void =>
  write(`node_modules/${name}/package.json`, { name, version, ...more });

const manifest = {
  version: '2.0.0',
  released: '2027-02-01',
  packages: {
    '@storeloom/core': '2.0.0',
    '@storeloom/plugin-sdk': '2.0.0',
    '@storeloom/theme-sdk': '2.0.0',
    '@storeloom/plugin-catalog': '1.3.0',
  },
  upgradesFrom: '>=1.4.0 <=2.0.0',
  node: '>=24.7',
  postgres: '>=15',
  contracts: { pluginSdk: '2.0.0', themeSdk: '2.0.0' },
  configuration: { removed: [{ key: 'LEGACY_SECRET', since: '2.0.0', replacement: 'JWT_SECRET', guide: '/migrating/2#secret' }] },
  deprecations: [
    {
      kind: 'api',
      name: 'sendMail',
      package: '@storeloom/plugin-sdk',
      since: '2.0.0',
      removedIn: '3.0.0',
      replacement: 'mailer',
    },
    { kind: 'config', name: 'API_PORT', since: '1.4.0', removedIn: '3.0.0', replacement: 'PORT' },
  ],
  removals: [
    {
      kind: 'api',
      name: 'Ctx.query',
      package: '@storeloom/plugin-sdk',
      since: '1.2.0',
      removedIn: '2.0.0',
      replacement: 'Ctx.db',
    },
  ],
  slots: {
    removed: [{ id: 'product.beforePrice', since: '2.0.0', replacement: 'product.afterTitle' }],
    required: [{ id: 'footer.legal', since: '2.0.0' }],
  },
  migrations: { core: ['0001_init.sql'], catalog: ['0001_catalog.sql'] },
  codemods: [{ name: 'ctx-db', from: '>=1.0.0 <2.0.0', to: '2.0.0', description: 'Renames Ctx.query to Ctx.db.' }],
  notes: ['Set ADMIN_URL to the public address of the admin.'],
  guide: 'guides/2.md',
};

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'storeloom-plan-'));
  write('package.json', {
    name: 'shop',
    version: '0.0.0',
    dependencies: { '@storeloom/core': '^1.4.0', '@storeloom/plugin-catalog': '^1.0.0', '@acme/plugin-points': '1.0.0' },
  });
  installed('@storeloom/core', '1.4.0');
  installed('@storeloom/plugin-sdk', '1.4.0');
  installed('@storeloom/plugin-catalog', '1.2.0', {
    storeloom: { plugin: 'catalog' },
    peerDependencies: { '@storeloom/plugin-sdk': '^1.0.0' },
  });
  write('release.json', manifest);
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const plan = (more: Partial<Parameters<typeof planUpgrade>[0]> = {}) =>
  planUpgrade(
    { dir: project, to: '2.0.0', manifest: join(project, 'release.json'), data: join(project, '.storeloom'), ...more },
    new AbortController().signal,
  );

test('of a shop with its own plugin and theme equals the stored one', async () => {
  installed('@acme/plugin-points', '1.0.0', {
    storeloom: { plugin: 'points' },
    peerDependencies: { '@storeloom/plugin-sdk': '>=1.4 <2', '@storeloom/plugin-catalog': '^1.0.0' },
  });
  write('.env', 'LEGACY_SECRET=x\nAPI_PORT=8080\n');
  write('plugins/bids/package.json', {
    name: '@shop/plugin-bids',
    version: '1.0.0',
    storeloom: { plugin: 'bids' },
    peerDependencies: { '@storeloom/plugin-sdk': '>=1.4 <3' },
  });
  write(
    'plugins/bids/src/index.ts',
    "import {\n  type Ctx,\n  sendMail,\n} from '@storeloom/plugin-sdk';\n\nexport const bids = (ctx: Ctx) => ctx.query('select 1');\nexport { sendMail };\n",
  );
  write('plugins/bids/src/other.ts', 'export const query = (ctx: { query(): void }) => ctx.query();\n');
  write('themes/nord/package.json', {
    name: '@shop/theme-nord',
    version: '1.0.0',
    storeloom: { theme: 'nord' },
    peerDependencies: { '@storeloom/theme-sdk': '^1.0.0' },
  });
  write('themes/nord/src/product.tsx', 'export const Product = () => <Slot name="product.beforePrice" />;\n');
  const { findings, ...found } = await plan();
  const golden = JSON.parse(readFileSync(new URL('testdata/plan.json', import.meta.url), 'utf8'));
  // The folder differs in each run.
  const text = JSON.stringify({ ...found, findings }).replaceAll(project, '<project>');
  expect({ ...JSON.parse(text), manifest: undefined }).toEqual({ ...golden, manifest: undefined });
  expect(found.exit).toBe(3);
});

test('of a shop that nothing concerns is exit code 0, and changes no file', async () => {
  write('release.json', { ...manifest, codemods: [], notes: [] });
  const { exit, findings, packages, migrations } = await plan();
  expect([exit, migrations, findings.map(({ code }) => code)]).toEqual([
    0,
    null,
    ['database_not_read', 'snapshot_old', 'migration_guide'],
  ]);
  expect(packages).toEqual([
    { name: '@storeloom/core', from: '1.4.0', to: '2.0.0' },
    { name: '@storeloom/plugin-catalog', from: '1.2.0', to: '1.3.0' },
    { name: '@storeloom/plugin-sdk', from: '1.4.0', to: '2.0.0' },
  ]);
});

test('refuses a skipped required stop, a downgrade and the same version', async () => {
  const codes = async (): Promise<unknown[]> => {
    const { exit, findings } = await plan();
    return [exit, ...findings.filter(({ severity }) => severity === 'blocker').map(({ code }) => code)];
  };
  for (const [version, code] of [
    ['1.3.0', 'required_stop'],
    ['2.1.0', 'not_newer'],
    ['2.0.0', 'not_newer'],
  ]) {
    installed('@storeloom/core', version as string);
    expect(await codes(), version).toEqual([1, code]);
  }
  installed('@storeloom/core', '1.4.0');
  write('release.json', { ...manifest, node: '>=99' });
  expect(await codes()).toEqual([1, 'node_version']);
});

test('follows the serving release, and reads the target’s code from its folder', async () => {
  const core = { name: '@storeloom/core', version: '1.5.0' };
  write('releases/1.5.0/node_modules/@storeloom/core/package.json', core);
  symlinkSync('releases/1.5.0', join(project, 'current'));
  write('next/package.json', { name: 'shop', version: '0.0.0' });
  write('next/seed.ts', "import { sendMail } from '@storeloom/plugin-sdk';\n");
  const found = await plan({ to: undefined, from: join(project, 'next') } as never);
  expect(found).toMatchObject({ from: '1.5.0', exit: 3, target: { kind: 'folder' } });
  expect(found.findings).toContainEqual(expect.objectContaining({ code: 'api_deprecated', where: 'seed.ts:1' }));
});

test('names what the target dropped, and refuses bad usage with a sentence', async () => {
  installed('@storeloom/plugin-old', '1.0.0', { storeloom: { plugin: 'old' } });
  expect((await plan()).findings).toContainEqual(expect.objectContaining({ code: 'package_removed', severity: 'blocker' }));
  await expect(plan({ to: undefined } as never)).rejects.toThrow(UsageError);
  await expect(plan({ from: project })).rejects.toThrow('Name one of');
  write('release.json', { version: 'two' });
  await expect(plan()).rejects.toThrow(/is no release manifest: version: must be a semver version; packages: /);
  rmSync(join(project, 'node_modules'), { recursive: true });
  await expect(plan()).rejects.toThrow('has no @storeloom/core');
});

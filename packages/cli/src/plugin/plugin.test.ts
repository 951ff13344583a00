import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withLifetime } from '../lifetime.ts';
import { UsageError } from '../usage-error.ts';
import { pluginCheck } from './check.ts';
import { pluginNew } from './new.ts';

const example = join(import.meta.dirname, '../../../../examples/plugin-hello');
let dir: string;
let printed: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'storeloom-plugin-'));
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});
const create = (name: string, pkg?: string): Promise<number> =>
  withLifetime((life) => pluginNew(name, { dir, install: false, ...(pkg === undefined ? {} : { package: pkg }) }, life));
async function check(): Promise<{ code: number; faults: { check: string; where: string; what: string }[] }> {
  printed = [];
  const code = await withLifetime((life) => pluginCheck({ dir: join(dir, 'gift-points'), json: true }, life));
  return { code, faults: JSON.parse(printed.join('')).faults };
}
const file = (path: string): string => join(dir, 'gift-points', path);
const change = (path: string, from: string, to: string): void => {
  const before = readFileSync(file(path), 'utf8');
  expect(before).toContain(from);
  writeFileSync(file(path), before.replace(from, to));
};

test('new creates a package under the given names, and plugin check names every fault of it in one run', async () => {
  expect(await create('gift-points', '@acme/points')).toBe(0);
  symlinkSync(join(example, 'node_modules'), file('node_modules'));
  const manifest = JSON.parse(readFileSync(file('package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    name: '@acme/points',
    storeloom: { plugin: 'gift-points', entitlement: 'gift-points' },
    devDependencies: { '@storeloom/cli': expect.stringMatching(/^\^\d+\.\d+\.\d+$/) },
  });
  expect(manifest.license).toBeUndefined();
  expect(readFileSync(file('migrations/0001_greetings.sql'), 'utf8')).toContain('create table gift_points_greeting (');
  change('locales/ro.json', ', "greeting.title": "Salutări"', '');
  change('src/storefront.ts', 'limit: 100', "limit: 'all'");
  change('src/index.ts', "name: 'gift-points'", "name: 'points'");
  change('package.json', '"locales"\n', '"CHANGELOG"\n');
  writeFileSync(file('migrations/0002_left.sql'), 'select 1;\n');
  const { code, faults } = await check();
  expect(code).toBe(3);
  expect(faults.map((fault) => `${fault.check} ${fault.where}`)).toEqual([
    'contract plugin gift-points',
    'texts locales/ro.json',
    'migrations migrations/0002_left.sql',
    expect.stringMatching(/^types src\/storefront\.ts:\d+:\d+$/),
    'package package.json files',
    'package dist',
  ]);
  expect(faults[0]?.what).toContain('points');
});

test('check compares the build with the sources', async () => {
  await create('gift-points');
  symlinkSync(join(example, 'node_modules'), file('node_modules'));
  expect(await check()).toEqual({
    code: 3,
    faults: [{ check: 'package', where: 'dist', what: 'the package was not built', fix: 'npm run build' }],
  });
  const built = spawnSync(process.execPath, [file('node_modules/typescript/bin/tsc'), '-p', file('.')], { encoding: 'utf8' });
  expect([built.status, built.stdout]).toEqual([0, '']);
  expect(await check()).toEqual({ code: 0, faults: [] });
  const later = new Date(Date.now() + 60_000);
  utimesSync(file('src/index.ts'), later, later);
  expect((await check()).faults).toEqual([expect.objectContaining({ what: 'the build is older than the sources' })]);
});

test('new refuses names that the kernel refuses, and a folder in use; check refuses what is no plugin', async () => {
  for (const name of ['Loyalty', 'gift_points', '-x', '../x', 'x'.repeat(41), ''])
    await expect(create(name), name).rejects.toThrow(UsageError);
  for (const pkg of ['@Acme/x', 'a b', '@acme/', '../x']) await expect(create('x', pkg), pkg).rejects.toThrow(UsageError);
  await create('gift-points');
  expect(await create('gift-points')).toBe(1);
  const checking = (path: string) => withLifetime((life) => pluginCheck({ dir: path }, life));
  await expect(checking(dir)).rejects.toThrow(/has no package.json/);
  writeFileSync(join(dir, 'package.json'), '{ "name": "shop" }');
  await expect(checking(dir)).rejects.toThrow(/isn't the package of a plugin/);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@storeloom/keys';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineConfig, readInstallation } from './installation.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-installation-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const shop = {
  slug: 'nord',
  name: 'Nord',
  host: 'nord.localhost',
  locales: ['ro', 'en'],
  currency: 'RON',
  timezone: 'Europe/Bucharest',
};
const read = (config: unknown) => {
  writeFileSync(join(base, 'storeloom.config.js'), '');
  return readInstallation(base, async () => ({ default: config }));
};
const problems = async (config: unknown): Promise<string> => {
  const error = await read(config).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems.join('\n').replaceAll(`${base}/storeloom.config.js: `, '');
};

describe('readInstallation', () => {
  test.each([
    ['storeloom.config.ts', "const plugins: string[] = ['@storeloom/plugin-hotel'];\nexport default { plugins };\n"],
    ['storeloom.config.mjs', "export default { plugins: ['@storeloom/plugin-hotel'] };\n"],
  ])('reads %s from disk', async (name, text) => {
    writeFileSync(join(base, name), text);
    expect(await readInstallation(base)).toEqual({ dir: base, plugins: ['@storeloom/plugin-hotel'], demo: [] });
  });

  test('gives what defineConfig was given', async () => {
    const seed = async (): Promise<void> => undefined;
    const config = defineConfig({
      plugins: ['./plugins/mine'],
      theme: '@storeloom/theme-x',
      niche: 'hotel',
      demo: [{ ...shop, seed }],
    });
    const installation = await read(config);
    expect(installation).toEqual({ ...config, dir: base });
    expect(installation.demo[0]?.seed).toBe(seed);
  });

  test('a folder without one is no installation', async () => {
    await expect(readInstallation(base)).rejects.toThrow(/storeloom\.config\.ts, storeloom\.config\.js, storeloom\.config\.mjs/);
    await expect(readInstallation(base)).rejects.toMatchObject({ exitCode: 2 });
  });

  test('one that throws is named with its error', async () => {
    writeFileSync(join(base, 'storeloom.config.mjs'), "throw new Error('no luck');\n");
    await expect(readInstallation(base)).rejects.toThrow(/storeloom\.config\.mjs can't be imported: no luck/);
  });

  test('reports all problems together', async () => {
    const text = await problems({
      plugins: ['a', '', 'a'],
      extra: 1,
      demo: [{ ...shop, slug: 'No Good', host: 'x:80', currency: 'LEI', timezone: 'Mars/Base', locales: [], seed: 1, odd: true }],
    });
    for (const part of [
      'plugins.1',
      'extra',
      'demo.0.slug',
      'demo.0.host',
      'demo.0.currency',
      'demo.0.timezone',
      'demo.0.locales',
      'demo.0.seed',
      'odd',
    ])
      expect(text).toContain(part);
  });

  test('repetitions', async () => {
    expect(await problems({ plugins: ['a', 'b', 'a'] })).toBe('plugins: lists a more than once');
    expect(await problems({ plugins: [], demo: [shop, { ...shop, host: 'other.localhost' }] })).toContain('one slug');
    expect(await problems({ plugins: [], demo: [shop, { ...shop, slug: 'other' }] })).toContain('one host');
  });

  test.each([undefined, null, 'x', [], {}])('a default export %j is refused', async (config) => {
    expect(await problems(config)).toMatch(/^(the default export|plugins): /);
  });
});

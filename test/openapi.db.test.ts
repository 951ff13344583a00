import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestShop, testShop } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyPlugin } from './support/house.ts';
import listed from './testdata/routes.json' with { type: 'json' };

let shop: TestShop;
let dir: string;
beforeAll(async () => {
  shop = await testShop({ plugins: everyPlugin });
  dir = mkdtempSync(join(tmpdir(), 'storeloom-openapi-'));
}, 120_000);
afterAll(async () => {
  await shop?.stop();
  if (dir) rmSync(dir, { recursive: true, force: true });
});

/** Routes that differ in the name of a parameter are one. */
const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/\{\w+\}/g, '{}').replace(/(?<=.)\/$/, '')}`;

describe('the routes of the interface', () => {
  it('are all served, as far as their plugins are built', () => {
    const loaded = new Set(shop.kernel.registry.loaded.map(({ manifest }) => manifest.name));
    const served = new Set(shop.kernel.routes.map(({ route, path }) => shapeOf(route.method, path)));
    const wanted = listed.filter(({ plugin }) => plugin === 'core' || loaded.has(plugin));
    expect(wanted.length).toBeGreaterThan(300);
    const missing = wanted.filter(({ method, path }) => !served.has(shapeOf(method, path)));
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});

describe('the document', () => {
  const bin = (name: string): string => new URL(`../node_modules/.bin/${name}`, import.meta.url).pathname;
  const lint = (name: string, args: string[]) => {
    const { status, stdout, stderr, error } = spawnSync(bin(name), args, {
      cwd: dir,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    if (error) throw error;
    return { status, stdout, stderr };
  };
  let file: string;
  beforeAll(async () => {
    file = join(dir, 'openapi.json');
    const answer = await shop.a.guest.get('/openapi.json');
    expect(answer.status).toBe(200);
    writeFileSync(file, answer.text);
  }, 60_000);

  it('has no error for redocly', () => {
    const { status, stdout, stderr } = lint('redocly', ['lint', file, '--extends=recommended', '--format=json']);
    const { problems } = JSON.parse(stdout) as { problems: { severity: string; message: string; location: unknown[] }[] };
    expect(
      problems.filter((problem) => problem.severity === 'error'),
      stderr,
    ).toEqual([]);
    expect(status).toBe(0);
  }, 180_000);

  it('has no error for spectral', () => {
    const ruleset = join(dir, 'ruleset.json');
    writeFileSync(ruleset, JSON.stringify({ extends: 'spectral:oas' }));
    const { status, stdout, stderr } = lint('spectral', ['lint', file, '--ruleset', ruleset, '--format', 'json', '--quiet']);
    const report = JSON.parse(stdout) as { severity: number; message: string; path: string[] }[];
    expect(
      report.filter((problem) => problem.severity === 0),
      stderr,
    ).toEqual([]);
    expect(status).toBe(0);
  }, 180_000);
});

describe('the metrics', () => {
  it('are what Prometheus takes', async () => {
    await shop.a.guest.get('/api/storefront/products/');
    await shop.a.admin.get('/api/admin/orders/');
    const { status, text } = await shop.a.guest.get('/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/^# TYPE \w+ histogram$/m);
    expect(text).not.toContain(shop.a.id);
    const promtool = ['/usr/bin/promtool', '/usr/local/bin/promtool'].find((path) => existsSync(path));
    if (promtool === undefined) return;
    const checked = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
  });
});

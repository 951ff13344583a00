import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drivers } from '@storeloom/cli';
import { type Installation, type Prepared, prepare, readConfig } from '@storeloom/core';
import { createDatabase } from '@storeloom/testing';
import { afterAll, describe, expect, it } from 'vitest';
import listed from './testdata/routes.json' with { type: 'json' };

/** The product with any of its industry plugins, on the foundation alone: they need nothing else, and not each other. */
const verticals = ['booking', 'events', 'hotel', 'restaurant'] as const;
const subsets = Array.from({ length: 2 ** verticals.length }, (_, bits) => verticals.filter((_, i) => (bits >> i) & 1));

const dataDir = mkdtempSync(join(tmpdir(), 'storeloom-verticals-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const config = readConfig({
  STORELOOM_ENV: 'development',
  STORELOOM_DATA: dataDir,
  RATE_LIMIT_FACTOR: '0',
  PORT: '0',
  STORELOOM_WORKERS: 'false',
});
const open = (names: readonly string[], ownerUrl: string): Promise<Prepared> => {
  const installation: Installation = {
    dir: process.cwd(),
    plugins: names.map((name) => `@storeloom/plugin-${name}`),
    demo: [],
  };
  return prepare(config, installation, { ownerUrl, logLevel: 'fatal', drivers });
};
const migrated = async (names: readonly string[], url: string): Promise<Prepared> => {
  const prepared = await open(names, url);
  const { exitCode, failed } = await prepared.migrate();
  expect([exitCode, failed]).toEqual([0, []]);
  return prepared;
};
/** What every subset has is migrated once. */
const foundation = { key: 'verticals foundation', prepare: async (url: string) => void (await migrated([], url)) };

const routesOf = (name: string) => listed.filter(({ plugin }) => plugin === name);
/** Routes that differ in the name of a parameter are one. */
const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/\{\w+\}/g, '{}').replace(/(?<=.)\/$/, '')}`;

describe('the product', () => {
  it.each(subsets.map((names) => [names.join(', ') || 'none of them', names] as const))('boots with %s', async (_, names) => {
    const database = await createDatabase({ template: foundation });
    try {
      const prepared = await migrated(names, database.url);
      const kernel = await prepared.start({ port: 0, host: '127.0.0.1', workers: false });
      try {
        const states = kernel.registry.states();
        expect(states.filter(({ state }) => state !== 'ready')).toEqual([]);
        expect(states.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
        const base = `http://127.0.0.1:${kernel.port}`;
        expect((await fetch(`${base}/health`)).status).toBe(200);
        const document = (await (await fetch(`${base}/openapi.json`)).json()) as {
          paths: Record<string, Record<string, unknown>>;
        };
        const served = new Set(
          Object.entries(document.paths).flatMap(([path, methods]) =>
            Object.keys(methods).map((method) => shapeOf(method.toUpperCase(), path)),
          ),
        );
        for (const name of verticals) {
          const routes = routesOf(name).map(({ method, path }) => shapeOf(method, path));
          expect(routes.length).toBeGreaterThan(10);
          expect(routes.filter((route) => served.has(route))).toEqual(names.includes(name) ? routes : []);
        }
      } finally {
        await kernel.stop({ immediately: true });
        await prepared.stop();
      }
    } finally {
      await database.drop();
    }
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generalProblems, sharedProblems } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompiledRoute } from '../packages/core/src/http/routes.ts';
import { everyPlugin } from './support/house.ts';
import listed from './testdata/routes.json' with { type: 'json' };

let shop: TestShop;
let dir: string;
beforeAll(async () => {
  shop = await testShop({ plugins: everyPlugin });
  dir = mkdtempSync(join(tmpdir(), 'storeloom-openapi-'));
});
afterAll(async () => {
  await shop?.stop();
  if (dir) rmSync(dir, { recursive: true, force: true });
});

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  description?: string;
  [keyword: string]: unknown;
}
interface Operation {
  parameters?: { $ref?: string; name?: string; in?: string }[];
  security?: Record<string, unknown>[];
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, { name: string; in: string }>;
    securitySchemes: Record<string, { name?: string; in?: string }>;
  };
}
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

describe('what the interface leaves out', () => {
  const label = ({ route, path }: CompiledRoute): string => `${route.method} ${path}`;

  it('is two admin routes without a bearer token', () => {
    const open = (shop.kernel.routes as readonly CompiledRoute[]).filter(
      ({ family, route }) => family === 'admin' && route.options.auth === 'open',
    );
    expect(open.map(label).sort()).toEqual(['POST /api/admin/2fa/check-device', 'POST /api/admin/2fa/verify']);
  });

  it('is two routes without a mirror under /api/v1', () => {
    const unmirrored = (shop.kernel.routes as readonly CompiledRoute[]).filter(({ route }) => route.options.mirror === false);
    expect(unmirrored.map(label).sort()).toEqual([
      'GET /api/storefront/booking/services',
      'POST /api/storefront/booking/bookings',
    ]);
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
  });

  it('has no error for redocly', () => {
    const { status, stdout, stderr } = lint('redocly', ['lint', file, '--extends=recommended', '--format=json']);
    const { problems } = JSON.parse(stdout) as { problems: { severity: string; message: string; location: unknown[] }[] };
    expect(
      problems.filter((problem) => problem.severity === 'error'),
      stderr,
    ).toEqual([]);
    expect(status).toBe(0);
  });

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
  }, 600_000);
});

describe('every mounted route', () => {
  let document: Document;
  beforeAll(async () => {
    document = JSON.parse((await shop.a.guest.get('/openapi.json')).text) as Document;
  });
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, method, operation })),
    );

  /** Anything at all, or an object of which nothing is known. */
  const isFree = ({ type, const: only, enum: several, properties, additionalProperties, $ref }: Schema): boolean =>
    $ref === undefined &&
    (type === undefined
      ? only === undefined && several === undefined
      : type === 'object' &&
        properties === undefined &&
        (typeof additionalProperties !== 'object' || Object.keys(additionalProperties).length === 0));

  /** Parts of a schema that say nothing of what is in them: an answer, a row of a list, a thing in an array. */
  function untyped(schema: Schema, at: string, seen: ReadonlySet<string> = new Set()): string[] {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1) as string;
      return seen.has(name) ? [] : untyped(document.components.schemas[name] as Schema, at, new Set([...seen, name]));
    }
    const choices = (['anyOf', 'oneOf', 'allOf'] as const).flatMap((key) => (schema[key] as Schema[] | undefined) ?? []);
    const { properties, items, additionalProperties } = schema;
    // What a shop, a plugin or a provider fills as it likes says so; nothing else may be open.
    if (schema.description !== undefined && at !== '' && (isFree(schema) || choices.length > 0)) return [];
    const inside = [
      ...choices.flatMap((choice) => untyped(choice, at, seen)),
      ...Object.entries(properties ?? {}).flatMap(([name, property]) => untyped(property, `${at}.${name}`, seen)),
      ...(items ? untyped(items, `${at}[]`, seen) : []),
      ...(typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
        ? untyped(additionalProperties, `${at}.*`, seen)
        : []),
    ];
    return isFree(schema) && choices.length === 0 ? [at || 'the answer', ...inside] : inside;
  }

  it('says what each success answers with', () => {
    const faults = operations().flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2') && status !== '204')
        .flatMap(([status, response]) => {
          const contents = Object.entries(response.content ?? {});
          if (contents.length === 0) return [`${name} ${status}: no content`];
          return contents.flatMap(([type, { schema }]) => untyped(schema, '').map((at) => `${name} ${status} ${type}: ${at}`));
        }),
    );
    expect(faults).toEqual([]);
  });

  it('names only codes that the one table has, each with one owner', () => {
    const known = new Set(Object.keys((document as unknown as { 'x-problems': Record<string, unknown> })['x-problems']));
    const unknown = shop.kernel.routes.flatMap(({ route, path }) =>
      (route.options.problems ?? []).filter((code) => !known.has(code)).map((code) => `${route.method} ${path}: ${code}`),
    );
    expect(unknown).toEqual([]);
    const owners = shop.kernel.registry.loaded.flatMap(({ plugin }) => Object.keys(plugin.errors ?? {}));
    const all = [...owners, ...Object.keys(generalProblems), ...Object.keys(sharedProblems)];
    expect(all.filter((code, i) => all.indexOf(code) !== i)).toEqual([]);
  });

  it('declares every query parameter that it takes', async () => {
    const nameOf = (parameter: { $ref?: string; name?: string; in?: string }) =>
      parameter.$ref
        ? (document.components.parameters[parameter.$ref.split('/').at(-1) as string] as { name: string; in: string })
        : parameter;
    const declared = (operation: Operation) =>
      new Set(
        (operation.parameters ?? [])
          .map(nameOf)
          .flatMap((parameter) => (parameter.in === 'query' ? [parameter.name as string] : [])),
      );
    /** A credential may stand in the query too. */
    const credentials = ({ security = [] }: Operation) =>
      security
        .flatMap((requirement) => Object.keys(requirement))
        .map((name) => document.components.securitySchemes[name] ?? {})
        .flatMap((scheme) => (scheme.in === 'query' ? [scheme.name as string] : []));
    const routes = shop.kernel.routes as readonly CompiledRoute[];
    const bare = (name: string) => name.replace(/(?<=.)\/$/, '');
    const named = new Map(routes.map((route) => [bare(`${route.route.method} ${route.path}`), route]));
    const refuses = ({ parseQuery }: CompiledRoute, name: string): boolean => {
      try {
        parseQuery(new URLSearchParams([[name, '1']]));
        return false;
      } catch (error) {
        return (error as { code?: string }).code === 'invalid_parameter';
      }
    };
    const all = new Set(operations().flatMap(({ operation }) => [...declared(operation)]));
    expect(all.size).toBeGreaterThan(100);
    const faults: string[] = [];
    let tried = 0;
    for (const compiled of routes) {
      const { path, route } = compiled;
      const operation = document.paths[path]?.[route.method.toLowerCase()];
      // Core's own routes and receivers read no query; a path that differs in its parameters' names stands under another one.
      if (!operation || path.startsWith('/api/v1/') || !path.startsWith('/api/') || path.startsWith('/api/webhooks/')) continue;
      const known = new Set([...declared(operation), ...credentials(operation)]);
      // Its schema allows any value.
      if (known.has('others')) continue;
      const { query: another } = route.options.sameAs ?? {};
      const rest = another === undefined ? undefined : named.get(bare(another));
      expect(rest === undefined, another).toBe(another === undefined);
      for (const name of all) {
        if (known.has(name) || [...known].some((one) => name.startsWith(`${one}[`))) continue;
        tried++;
        if (!refuses(compiled, name) && !(rest && refuses(rest, name))) faults.push(`${route.method} ${path}: ${name}`);
      }
      if (!rest) continue;
      // What the other list refuses is refused here too.
      const caller = path.startsWith('/api/admin/') ? shop.a.admin : shop.a.guest;
      const answer = await caller.get<{ code?: string }>(`${path}?nonsense=1`);
      if (answer.body.code !== 'invalid_parameter') faults.push(`${route.method} ${path}: nonsense`);
    }
    expect(tried).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
  });
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

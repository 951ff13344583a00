import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
// Inside the repository, so that package names resolve as in an app.
const folder = mkdtempSync(join(root, 'node_modules/.cache/client-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the samples use without declaring it. */
const surroundings = `
import type { createClient as create, Storefront } from '@storeloom/client';
import type * as all from '@storeloom/client/slices';
type All = readonly (typeof all)[keyof typeof all][];
declare global {
  const baseUrl: string, token: string, email: string, password: string, id: string, variantId: string, secret: string;
  const cartToken: string, customerToken: string, request: Request;
  const client: ReturnType<typeof create<All>>;
  const shop: Storefront<All>;
  const slices: readonly [typeof all.catalog];
  const file: { write(chunk: Uint8Array): Promise<void> };
  function store(value: unknown): void;
  function print(value: unknown): Promise<void>;
  function pack(value: object): Promise<void>;
  function offer(value: unknown): void;
  function mark(value: string | undefined): void;
}
`;

test('every TypeScript sample about the client compiles in strict mode', () => {
  writeFileSync(join(folder, 'surroundings.ts'), surroundings);
  const names: string[] = [];
  for (const path of ['docs/client.md', 'packages/client/README.md'])
    for (const [i, [, code]] of [...readFileSync(join(root, path), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].entries()) {
      const name = `${path.replace(/\W/g, '-')}-${i}.ts`;
      writeFileSync(join(folder, name), `${code}\nexport {};\n`);
      names.push(name);
    }
  expect(names.length).toBeGreaterThanOrEqual(10);
  const options = {
    target: 'es2023',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    customConditions: ['storeloom-source'],
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    rootDir: root,
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['surroundings.ts', ...names] }),
  );
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const temporary: string[] = [];

afterAll(() => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

/** A workspace of one sound package, with these files instead of its own. */
function workspace(changes: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'storeloom-dependencies-'));
  temporary.push(folder);
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ name: 'shop', private: true, type: 'module' }),
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
    'knip.json': JSON.stringify({
      workspaces: { 'packages/*': { entry: ['src/index.ts!'], project: ['src/**/*.ts!', '!src/**/*.test.ts!'] } },
    }),
    'packages/kernel/package.json': JSON.stringify({
      name: '@shop/kernel',
      type: 'module',
      dependencies: { koa: '3.3.0' },
      devDependencies: { vitest: '5.1.2', zod: '4.6.7' },
    }),
    'packages/kernel/src/index.ts':
      "import Koa from 'koa';\nimport { limit } from './limit.ts';\nexport const app = new Koa({ maxIpsCount: limit });\n",
    'packages/kernel/src/limit.ts': 'export const limit = 1;\n',
    'packages/kernel/src/limit.test.ts':
      "import { test } from 'vitest';\nimport { z } from 'zod';\ntest('a number', () => void z.number().parse(1));\n",
    ...changes,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

function check(folder: string): { status: number | null; output: string } {
  const { error, status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'tools/dependencies.mjs'), '--directory', folder],
    { encoding: 'utf8' },
  );
  if (error) throw error;
  return { status, output: stdout + stderr };
}

const kernel = (dependencies: object, devDependencies: object): string =>
  JSON.stringify({ name: '@shop/kernel', type: 'module', dependencies, devDependencies });

test('a sound workspace passes', () => {
  expect(check(workspace())).toEqual({ status: 0, output: '' });
});

test.each([
  [
    'a declared dependency that nothing imports',
    { 'packages/kernel/package.json': kernel({ koa: '3.3.0', semver: '7.8.6' }, { vitest: '5.1.2', zod: '4.6.7' }) },
    /Unused dependencies[\s\S]*semver/,
  ],
  [
    'an import that nothing declares',
    { 'packages/kernel/src/limit.ts': "import semver from 'semver';\nexport const limit = semver.major('1.0.0');\n" },
    /Unlisted dependencies[\s\S]*semver/,
  ],
  [
    'an import of the product that only devDependencies declare',
    { 'packages/kernel/src/limit.ts': "import { z } from 'zod';\nexport const limit = z.number().parse(1);\n" },
    /Unlisted dependencies[\s\S]*zod/,
  ],
  ['a file that nothing imports', { 'packages/kernel/src/old.ts': 'console.log(1);\n' }, /Unused files[\s\S]*old\.ts/],
  [
    'an export that nothing imports',
    { 'packages/kernel/src/limit.ts': 'export const limit = 1;\nexport const most = limit + 1;\n' },
    /Unused exports[\s\S]*most/,
  ],
  [
    'an exception that is no longer needed',
    {
      'knip.json': JSON.stringify({
        workspaces: {
          'packages/*': {
            entry: ['src/index.ts!'],
            project: ['src/**/*.ts!', '!src/**/*.test.ts!'],
            ignoreDependencies: ['semver'],
          },
        },
      }),
    },
    /ignoreDependencies/,
  ],
])('fails on %s', (_name, changes, finding) => {
  const { status, output } = check(workspace(changes as Record<string, string>));
  expect(output).toMatch(finding);
  expect(status).toBe(1);
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'storeloom-ranges-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function run(command: string, ...args: string[]): { status: number | null; output: string } {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  return { status, output: stdout + stderr };
}

const git = (...args: string[]) => {
  const { status, output } = run('git', '-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args);
  if (status !== 0) throw new Error(output);
};

/** The kit of version `version`, with these functions, as it is after a build. */
function kit(version: string, ...functions: string[]): void {
  write('packages/kit/package.json', {
    name: '@shop/kit',
    version,
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts' } },
  });
  write('packages/kit/dist/index.d.ts', functions.map((name) => `export declare function ${name}(): number;\n`).join(''));
}

/** A plugin that calls `second` of the kit, and says which versions of it are enough. */
function plugin(range: string): void {
  write('plugins/rooms/package.json', {
    name: '@shop/plugin-rooms',
    version: '1.0.0',
    type: 'module',
    peerDependencies: { '@shop/kit': range },
    storeloom: { plugin: 'rooms' },
  });
  write('plugins/rooms/src/index.ts', "import { second } from '@shop/kit';\nexport const value: number = second();\n");
  write('plugins/rooms/src/index.test.ts', "import { absent } from '@shop/kit';\nabsent();\n");
}

const check = () => run(process.execPath, join(root, 'tools/ranges.mjs'), '--directory', folder);

test('a plugin compiles against the lowest released version of its range, not against the newest', { timeout: 300_000 }, () => {
  write('package.json', { name: 'shop', private: true, packageManager });
  write('pnpm-workspace.yaml', 'packages: [packages/*, plugins/*]\n');
  write('tsconfig.base.json', {
    compilerOptions: { module: 'nodenext', target: 'es2024', strict: true, skipLibCheck: true, types: [] },
  });
  kit('1.0.0', 'first');
  plugin('^1.0.0');
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'kit: one function');
  git('tag', '@shop/kit@1.0.0');
  kit('1.1.0', 'first', 'second');

  const tooWide = check();
  expect(tooWide.output).toContain('@shop/plugin-rooms: @shop/kit@1.0.0');
  expect(tooWide.output).toMatch(
    /@shop\/plugin-rooms needs a higher version than the lowest of its ranges: @shop\/kit \^1\.0\.0/,
  );
  expect(tooWide.output).toMatch(/index\.ts\(1,10\): error TS2305/);
  expect(tooWide.status).toBe(1);

  // No release is in the range yet: the workspace's own version is the lowest.
  plugin('^1.1.0');
  expect(check()).toEqual({ status: 0, output: '@shop/plugin-rooms: @shop/kit@1.1.0\n' });

  git('add', '.');
  git('commit', '-qm', 'kit: a second function');
  git('tag', '@shop/kit@1.1.0');
  kit('1.2.0', 'second', 'third');
  expect(check()).toEqual({ status: 0, output: '@shop/plugin-rooms: @shop/kit@1.1.0\n' });

  plugin('^2.0.0');
  const outOfReach = check();
  expect(outOfReach.output).toContain('no version of @shop/kit is in the range ^2.0.0; the workspace has 1.2.0');
  expect(outOfReach.status).toBe(1);
});

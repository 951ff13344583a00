import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyProject, lockedFolders, lockFileOf } from './stage.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'storeloom-stage-'));
  for (const path of [
    'package.json',
    'package-lock.json',
    '.env',
    'node_modules/x/package-lock.json',
    'plugins/bids/package.json',
    'plugins/bids/package-lock.json',
    'plugins/bids/node_modules/y/index.js',
    'plugins/gifts/package.json',
    'plugins/gifts/pnpm-lock.yaml',
    'data/secrets.json',
    'releases/1.0.0/package-lock.json',
    'var/upgrade/x/package-lock.json',
  ]) {
    mkdirSync(join(project, path, '..'), { recursive: true });
    writeFileSync(join(project, path), '');
  }
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

test('a release has the files of the project, not its packages, data, secrets and releases', () => {
  const release = join(project, 'releases', '1.1.0');
  copyProject(project, release, join(project, 'data'));
  expect(lockFileOf(release)).toBe('package-lock.json');
  expect(lockedFolders(release).map((path) => path.slice(release.length + 1))).toEqual(['plugins/bids', 'plugins/gifts']);
  for (const path of ['.env', 'data', 'node_modules', 'plugins/bids/node_modules', 'releases', 'var'])
    expect(() => lockFileOf(join(release, path)), path).toThrow('has no package-lock.json or pnpm-lock.yaml');
});

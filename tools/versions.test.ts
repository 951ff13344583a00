import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const temporary: string[] = [];
let folder: string;

afterAll(() => {
  for (const each of temporary) rmSync(each, { recursive: true, force: true });
});

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const manifest = (dir: string) => JSON.parse(read(`${dir}/package.json`));

function run(command: string, ...args: string[]): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout;
}

const versions = (): string => run(process.execPath, join(root, 'tools/versions.mjs'), '--directory', folder);
const publish = (...names: string[]): void => {
  for (const name of names) run('git', 'tag', name);
};
const pending = (): string[] => readdirSync(join(folder, '.changeset')).filter((name) => name.endsWith('.md'));

/** The SDK, the kernel, and a plugin of each of them, with the repository's own configuration of changesets. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'storeloom-versions-'));
  temporary.push(folder);
  const sdk = { '@storeloom/plugin-sdk': '^1.0.0' };
  write('package.json', { name: 'shop', private: true });
  write('pnpm-workspace.yaml', 'packages: [packages/*, plugins/*]\n');
  write('pnpm-lock.yaml', '');
  write('packages/plugin-sdk/package.json', { name: '@storeloom/plugin-sdk', version: '1.0.0' });
  write('packages/core/package.json', {
    name: '@storeloom/core',
    version: '1.0.0',
    dependencies: { '@storeloom/plugin-sdk': 'workspace:^' },
  });
  write('packages/testing/package.json', { name: '@storeloom/testing', version: '1.0.0' });
  write('packages/release/package.json', { name: '@storeloom/release', version: '1.0.0' });
  write('plugins/hotel/package.json', {
    name: '@storeloom/plugin-hotel',
    version: '1.0.0',
    peerDependencies: sdk,
    devDependencies: { '@storeloom/plugin-sdk': 'workspace:*' },
  });
  write('plugins/spa/package.json', { name: '@storeloom/plugin-spa', version: '1.0.0', peerDependencies: sdk });
  cpSync(join(root, '.changeset/config.json'), join(folder, '.changeset/config.json'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules/@changesets'), join(folder, 'node_modules/@changesets'));
  run('git', 'init', '-q');
  run('git', 'add', '.');
  run('git', '-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '-qm', 'all: the first version');
});

const kernel = ['core', 'plugin-sdk', 'testing', 'release'].map((name) => `@storeloom/${name}@1.0.0`);
const hotel = '@storeloom/plugin-hotel@1.0.0';
const spa = '@storeloom/plugin-spa@1.0.0';

describe('before the first release', () => {
  it('puts changes into the changelog of 1.0.0', () => {
    write('plugins/hotel/CHANGELOG.md', '# @storeloom/plugin-hotel\n\n## 1.0.0\n\n- Rooms and rates.\n');
    write(
      '.changeset/a.md',
      '---\n"@storeloom/plugin-hotel": minor\n"@storeloom/core": patch\n---\n\nFolios in two currencies.\n',
    );
    write('.changeset/b.md', "---\n'@storeloom/plugin-hotel': patch\n---\n\nA note:\n\nof two paragraphs.\n");
    versions();
    expect(read('plugins/hotel/CHANGELOG.md')).toBe(
      '# @storeloom/plugin-hotel\n\n## 1.0.0\n\n- Rooms and rates.\n- Folios in two currencies.\n- A note:\n\n  of two paragraphs.\n',
    );
    expect(read('packages/core/CHANGELOG.md')).toBe('# @storeloom/core\n\n## 1.0.0\n\n- Folios in two currencies.\n');
    expect(['packages/core', 'plugins/hotel'].map((dir) => manifest(dir).version)).toEqual(['1.0.0', '1.0.0']);
    expect(pending()).toEqual([]);
  });

  it('bumps what is published and leaves a new plugin at 1.0.0', () => {
    publish(...kernel, hotel);
    write(
      '.changeset/a.md',
      '---\n"@storeloom/plugin-hotel": minor\n"@storeloom/plugin-spa": minor\n---\n\nTreatments on the folio.\n',
    );
    versions();
    expect(manifest('plugins/hotel').version).toBe('1.1.0');
    expect(read('plugins/hotel/CHANGELOG.md')).toMatch(/## 1\.1\.0\n\n### Minor Changes\n\n- .*Treatments on the folio\./);
    expect(manifest('plugins/spa').version).toBe('1.0.0');
    expect(read('plugins/spa/CHANGELOG.md')).toBe('# @storeloom/plugin-spa\n\n## 1.0.0\n\n- Treatments on the folio.\n');
    expect(pending()).toEqual([]);
  });
});

describe('after the first release', () => {
  beforeEach(() => publish(...kernel, hotel, spa));

  it('a minor version of the SDK takes the kernel along and no plugin', () => {
    write('.changeset/a.md', '---\n"@storeloom/plugin-sdk": minor\n---\n\nA new field.\n');
    versions();
    expect([manifest('packages/plugin-sdk').version, manifest('packages/core').version]).toEqual(['1.1.0', '1.1.0']);
    expect(manifest('plugins/hotel').version).toBe('1.0.0');
    expect(manifest('plugins/hotel').peerDependencies).toEqual({ '@storeloom/plugin-sdk': '^1.0.0' });
    expect(existsSync(join(folder, 'plugins/hotel/CHANGELOG.md'))).toBe(false);
  });

  it('a major version of the SDK is a major version of every plugin, with its range raised', () => {
    write('.changeset/a.md', '---\n"@storeloom/plugin-sdk": major\n---\n\nHooks have another signature.\n');
    versions();
    expect(manifest('packages/plugin-sdk').version).toBe('2.0.0');
    expect(manifest('plugins/hotel')).toMatchObject({
      version: '2.0.0',
      peerDependencies: { '@storeloom/plugin-sdk': '^2.0.0' },
    });
  });

  it('a plugin that takes both versions of the SDK stays as it is', () => {
    write('plugins/spa/package.json', {
      ...manifest('plugins/spa'),
      peerDependencies: { '@storeloom/plugin-sdk': '^1.0.0 || ^2.0.0' },
    });
    write('.changeset/a.md', '---\n"@storeloom/core": major\n---\n\nAnother configuration.\n');
    versions();
    expect([manifest('plugins/hotel').version, manifest('plugins/spa').version]).toEqual(['2.0.0', '1.0.0']);
  });

  it('refuses a changeset that it can’t read', () => {
    write('.changeset/a.md', '---\n"@storeloom/plugin-sdk": huge\n---\n\nA new field.\n');
    expect(versions).toThrow(/a\.md: ""@storeloom\/plugin-sdk": huge" names no package with major, minor or patch/);
  });
});

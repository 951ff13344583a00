import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const temporary: string[] = [];

afterAll(() => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

/** Runs the check on a folder of these files. */
function check(files: Record<string, string>, ...options: string[]): { status: number | null; lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'storeloom-language-'));
  temporary.push(folder);
  spawnSync('git', ['init', '-q'], { cwd: folder });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { error, status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'tools/language.mjs'), '--directory', folder, ...options],
    { encoding: 'utf8', env: { ...process.env, INIT_CWD: folder } },
  );
  if (error) throw error;
  return { status, lines: stderr.trim().split('\n').filter(Boolean) };
}

const finding = (file: string, line: number, word: string) => expect.stringMatching(`^${file}:${line}: "${word}": write .`);

describe('in prose', () => {
  it.each([
    ['a comment', 'a.ts', 'const a = 1;\n// Retries anew.\n', 2, 'anew'],
    ['a docstring', 'a.ts', '/**\n * Whoever reads it.\n */\nexport const a = 1;\n', 2, 'Whoever'],
    ['a message', 'a.ts', "throw new Error('the price is dearer now');\n", 1, 'dearer'],
    ['a template', 'a.ts', `throw new Error(\`the customer \${id} is told\`);\n`, 1, 'is told'],
    ['a document', 'README.md', '# A shop\n\nSends mails.\n', 3, 'mails'],
    ['a changeset', '.changeset/a.md', '---\n"a": patch\n---\n\nNobody waits.\n', 5, 'Nobody'],
    ['a locale text', 'plugins/a/locales/en.json', '{\n  "a": "Stock by itself"\n}\n', 2, 'by itself'],
    ['a Romanian text', 'plugins/a/locales/ro.json', '{\n  "a": "Adaugă în coş"\n}\n', 2, 'ş'],
  ])('finds a word of the list in %s', (_where, file, content, line, word) => {
    expect(check({ [file]: content })).toEqual({ status: 1, lines: [finding(file, line, word)] });
  });

  it('leaves standard terms, code, wire names and other projects’ words alone', () => {
    const files = {
      'a.ts': [
        '// The heartbeat reads `wish.glance` once; a wishlist is a list.',
        "const field = 'mails';",
        'const path = /glance|wish/;',
        "const url = '/mails/anew';",
        'export const heartbeat = { field, path, url };',
      ].join('\n'),
      'README.md': 'Run `anew`:\n\n```sh\nanew whoever\n```\n\n[text](docs/wish.md)\n',
      'plugins/a/migrations/0001_a.sql': '-- Nobody edits it.\n',
      'test/testdata/a.md': 'Whoever.\n',
      'package.json': '{ "name": "a", "description": "A shop." }\n',
    };
    expect(check(files)).toEqual({ status: 0, lines: [] });
  });
});

describe('in names', () => {
  it.each([
    ['a type', 'export interface PlaceWish {\n  id: string;\n}\n', 1, 'PlaceWish'],
    ['a function', 'export const a = 1;\nexport function glanceOf() {}\n', 2, 'glanceOf'],
    ['a parameter', 'export const name = (theirs: string) => theirs;\n', 1, 'theirs'],
    ['an expression in a template', `export const text = (a: { wish: string }) => \`the name: \${a.wish}\`;\n`, 1, 'wish'],
  ])('finds a word of the list in %s', (_where, content, line, name) => {
    const { status, lines } = check({ 'a.ts': content });
    expect(status).toBe(1);
    expect(lines[0]).toEqual(finding('a.ts', line, name));
  });

  it('finds it in the name of a file', () => {
    expect(check({ 'src/neighbours.ts': 'export const a = 1;\n' })).toEqual({
      status: 1,
      lines: [finding('src/neighbours.ts', 1, 'neighbours')],
    });
  });
});

it('checks the given paths only', () => {
  const files = { 'old/a.ts': '// Whoever.\n', 'new/b.ts': '// A customer.\n' };
  expect(check(files, 'new')).toEqual({ status: 0, lines: [] });
  expect(check(files, 'old')).toEqual({ status: 1, lines: [finding('old/a.ts', 1, 'Whoever')] });
});

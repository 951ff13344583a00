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

function check(files: Record<string, string>): { status: number | null; errors: string[]; count: string } {
  const folder = mkdtempSync(join(tmpdir(), 'storeloom-casts-'));
  temporary.push(folder);
  spawnSync('git', ['init', '-q'], { cwd: folder });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools/casts.mjs'), '--directory', folder], {
    encoding: 'utf8',
  });
  return { status, errors: stderr.trim().split('\n').filter(Boolean), count: stdout.trim() };
}

const source = 'packages/core/src/a.ts';

describe('the check of casts', () => {
  it.each(['const a = b as unknown as C;', 'f(a as never);', 'f(a as  never[]);'])('refuses %s without a reason', (line) => {
    const { status, errors } = check({ [source]: `const b = 1;\n${line}\n` });
    expect(status).toBe(1);
    expect(errors).toEqual([expect.stringContaining(`${source}:2: `)]);
  });

  it('accepts a cast with its reason on the line before or the same line', () => {
    const text = '// cast: the types leave it out.\nconst a = b as unknown as C;\nf(a as never); // cast: generic.\n';
    expect(check({ [source]: text })).toEqual({ status: 0, errors: [], count: '2 casts' });
  });

  it('refuses a reason without text, and one further away', () => {
    expect(check({ [source]: '// cast: \nf(a as never);\n' }).status).toBe(1);
    expect(check({ [source]: '// cast: far.\n\nf(a as never);\n' }).status).toBe(1);
  });

  it('leaves out tests, comments, and casts that the compiler checks', () => {
    const files = {
      'plugins/hotel/src/a.test.ts': 'f(a as never);\n',
      [source]: '/** Never as unknown as this. */\nconst a = b as C; // as never as before\nconst c: never = d;\n',
    };
    expect(check(files)).toEqual({ status: 0, errors: [], count: '0 casts' });
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { client } from './client.ts';
import { UsageError } from './usage-error.ts';

const dir = join(import.meta.dirname, '../../../examples/plugin-tool-library');
const folder = mkdtempSync(join(tmpdir(), 'storeloom-client-'));
const out = join(folder, 'client.ts');
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(out, { force: true });
});
const said = (): string[] => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  return lines;
};

test('writes the slice of a plugin without a database, the same as the example has', async () => {
  const lines = said();
  expect(await client('tool-library', { dir, out })).toBe(0);
  expect(readFileSync(out, 'utf8')).toBe(readFileSync(join(dir, 'src/client.ts'), 'utf8'));
  expect(readFileSync(out, 'utf8')).toMatch(/export const toolLibrary: Slice<[\s\S]*problemClass\('tool_taken'\)/);
  expect(lines.join('')).toBe(`written: ${out}\n`);
});

test('--check writes nothing and fails where the file is stale or missing', async () => {
  const lines = said();
  expect(await client('tool-library', { dir, out, check: true })).toBe(1);
  writeFileSync(out, 'export {};\n');
  expect(await client('tool-library', { dir, out, check: true })).toBe(1);
  expect(readFileSync(out, 'utf8')).toBe('export {};\n');
  expect(lines[0]).toBe(`${out} is stale: run \`storeloom client tool-library\` and commit it\n`);
  expect(await client('tool-library', { dir, check: true })).toBe(0);
});

test('names the plugins of the installation where there is none of that name', async () => {
  await expect(client('tools', { dir, out })).rejects.toThrow(UsageError);
  await expect(client('tools', { dir, out })).rejects.toThrow(/tools is no plugin of .*; there are .*tool-library/);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mappedFrame } from './mapped-stack.ts';

let folder: string;
const at = (name: string, line = 1, column = 1): string => `fn (${pathToFileURL(join(folder, name)).href}:${line}:${column})`;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'storeloom-map-'));
  // Line 1, column 1 of the bundle is line 3, column 5 of the source.
  const map = { version: 3, sources: ['../src/room/room.ts'], names: [], mappings: 'AAEI' };
  writeFileSync(join(folder, 'index.js.map'), JSON.stringify(map));
  writeFileSync(join(folder, 'broken.js.map'), 'no JSON');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a frame in a bundle names the position in its source', () => {
  const source = new URL('../src/room/room.ts', pathToFileURL(join(folder, 'index.js'))).href;
  expect(mappedFrame(at('index.js'))).toBe(`fn (${source}:3:5)`);
  expect(mappedFrame(`async ${at('index.js')}`)).toBe(`async fn (${source}:3:5)`);
});

test('a frame stays as it is without a map, with a broken one, and outside files', () => {
  for (const frame of [
    at('other.js'),
    at('broken.js'),
    'processTicks (node:internal/process/task_queues:104:5)',
    'fn (<anonymous>)',
  ])
    expect(mappedFrame(frame)).toBe(frame);
});

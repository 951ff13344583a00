import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal, journals, lockUpgrades } from './journal.ts';

let project: string;
const folder = (): string => join(project, 'var', 'upgrade');
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'storeloom-journal-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

test('one upgrade holds the lock; that of a killed process is taken over with any content', () => {
  const unlock = lockUpgrades(project);
  expect(() => lockUpgrades(project)).toThrow(`The process ${process.pid} upgrades this installation`);
  unlock();
  for (const left of ['{"pid":1,"start":"long ago"}', '', 'no JSON']) {
    writeFileSync(join(folder(), 'lock'), left);
    lockUpgrades(project)();
  }
  expect(readdirSync(folder())).toEqual([]);
});

test('a lock that another process took over is not removed by its earlier holder', () => {
  const unlock = lockUpgrades(project);
  const other = '{"pid":1,"start":"now"}';
  writeFileSync(join(folder(), 'lock'), other);
  unlock();
  expect(readFileSync(join(folder(), 'lock'), 'utf8')).toBe(other);
});

test('a line that a full disk cut off never happened', () => {
  const dir = join(folder(), 'one');
  mkdirSync(dir, { recursive: true });
  const journal = new Journal(dir);
  journal.begin('snapshot');
  journal.done('snapshot', { id: 'a' });
  writeFileSync(join(dir, 'journal.jsonl'), `${readFileSync(join(dir, 'journal.jsonl'), 'utf8')}{"at":"2026`);
  const [found] = journals(project);
  expect([found?.stateOf('snapshot'), found?.dataOf('snapshot'), found?.ended]).toEqual(['done', { id: 'a' }, undefined]);
  found?.undone('snapshot');
  found?.end('aborted');
  expect(journals(project)[0]?.ended).toBe('aborted');
});

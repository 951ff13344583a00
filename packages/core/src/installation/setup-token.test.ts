import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDir } from '@storeloom/keys';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSetupToken } from './setup-token.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-setup-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('createSetupToken', () => {
  test('without SETUP_TOKEN one is made, once', () => {
    const first = createSetupToken({ setupToken: undefined }, openDataDir(base));
    const second = createSetupToken({ setupToken: undefined }, openDataDir(base));
    expect(first.made).toBe(true);
    expect(first.value).toMatch(/^[\w-]{32}$/);
    expect(second).toMatchObject({ made: false, value: first.value });
    expect(second.matches(first.value)).toBe(true);
  });

  test('SETUP_TOKEN goes before the one that was made', () => {
    const made = createSetupToken({ setupToken: undefined }, openDataDir(base)).value;
    const given = createSetupToken({ setupToken: 'a-token-of-the-operator' }, openDataDir(base));
    expect(given.made).toBe(false);
    expect(given.matches('a-token-of-the-operator')).toBe(true);
    expect(given.matches(made)).toBe(false);
  });

  test('nothing else matches', () => {
    const token = createSetupToken({ setupToken: undefined }, openDataDir(base));
    for (const odd of [
      undefined,
      null,
      '',
      token.value.slice(1),
      `${token.value} `,
      token.value.toUpperCase(),
      'x'.repeat(1e6),
      {},
      [],
    ])
      expect(token.matches(odd as string | undefined)).toBe(false);
  });
});

import { DatabaseRefused } from '@storeloom/core';
import { ConfigError } from '@storeloom/keys';
import { invalid } from '@storeloom/plugin-sdk';
import { expect, it } from 'vitest';
import { exitCodeOf, explain } from './exit.ts';
import { Interrupted } from './lifetime.ts';

const coded = (code: unknown): Error => Object.assign(new Error('what happened'), { code });

it('every thrown value has a documented exit code', () => {
  expect(exitCodeOf(new ConfigError(['x']))).toBe(2);
  expect(exitCodeOf(new DatabaseRefused('x'))).toBe(5);
  expect(exitCodeOf(new Interrupted('SIGINT'))).toBe(130);
  expect(exitCodeOf(new Interrupted('SIGTERM'))).toBe(143);
  expect(exitCodeOf(coded('license_required'))).toBe(4);
  expect(exitCodeOf(invalid('/key', 'not_found', 'no licence has this key'))).toBe(4);
  expect(exitCodeOf(invalid('/key', 'signature_invalid', 'x'))).toBe(1);
  expect(exitCodeOf(invalid('/plan', 'not_found', 'x'))).toBe(1);
  for (const code of ['ECONNREFUSED', '57P01', '28P01', '08006']) expect(exitCodeOf(coded(code)), code).toBe(5);
  // A DOMException's code is a number.
  for (const thrown of [coded(20), new DOMException('x', 'AbortError'), coded(null), coded('57014'), 'text', undefined, null, 42])
    expect(exitCodeOf(thrown), String(thrown)).toBe(1);
  for (const thrown of [coded(20), 'text', undefined, null]) expect(typeof explain(thrown)).toBe('string');
  expect(explain(invalid('/slug', 'invalid', 'must be a slug'))).toMatch(/\n {2}slug: must be a slug$/);
});

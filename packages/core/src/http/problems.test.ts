import { Problem } from '@storeloom/plugin-sdk';
import { describe, expect, test } from 'vitest';
import { HookError } from '../hooks/hook-error.ts';
import { asProblem } from './problems.ts';

const answer = (error: unknown): [number | string, string] => [
  asProblem(error).code,
  String(asProblem(error).extra.retryAfter ?? ''),
];
const withCode = (code: string): Error => Object.assign(new Error('driver text'), { code });

describe('an unreachable database', () => {
  test.each([
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('timeout exceeded when trying to connect'),
    withCode('ECONNRESET'),
    withCode('57P01'),
  ])('answers 503, also where a plugin met it in a hook: %s', (error) => {
    expect(answer(error)).toEqual(['unavailable', '2']);
    expect(answer(new HookError('inventory', 'checkout:place.commit', error))).toEqual(['unavailable', '2']);
  });
});

test('any other error in a hook is an internal error', () => {
  for (const error of [new Error('no answer within 50 ms'), new TypeError('x is undefined'), withCode('ERR_INVALID_ARG_TYPE')])
    expect(asProblem(new HookError('inventory', 'checkout:place.commit', error)).code).toBe('internal_error');
  expect(asProblem(new HookError('a', 'b', new Problem('duplicate'))).code).toBe('internal_error');
});

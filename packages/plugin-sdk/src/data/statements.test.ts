import { raw } from '@mikro-orm/core';
import { describe, expect, it } from 'vitest';
import { bindParameters, Statements, valueAt, withValues } from './statements.ts';

const statements = (): Statements =>
  new Statements(() => {
    throw new Error('no builder here');
  });
const query = (sql: string, ...params: unknown[]) => ({ toQuery: () => ({ sql, params }) });
const compiled = (statement: ReturnType<typeof withValues>): unknown => statement.compile({} as never);

describe('bindParameters', () => {
  it('numbers the placeholders and leaves those inside quotes alone', () => {
    expect(bindParameters(`select '?', "a" from t where b = ? and c = ?`, [1, 2])).toEqual({
      text: `select '?', "a" from t where b = $1 and c = $2`,
      values: [1, 2],
    });
  });
  it('puts SQL that came as a parameter in its place', () => {
    expect(bindParameters('update t set v = ?, n = ? where i = ?', [raw('v + ?', [1]), raw('??', ['a.b']), 3])).toEqual({
      text: 'update t set v = v + $1, n = "a"."b" where i = $2',
      values: [1, 3],
    });
  });
  it('refuses a statement that has another number of placeholders than of values', () => {
    expect(() => bindParameters('select ?', [])).toThrow('1 placeholders and 0 values');
    expect(() => bindParameters('select ?', [1, 2])).toThrow('1 placeholders and 2 values');
  });
});

describe('trap 18: the cache of plans', () => {
  it('writes a shape once, and puts the values in the order of its text', () => {
    const cache = statements();
    let written = 0;
    const plan = () =>
      cache.plan('shape', () => {
        written++;
        return query('select ? where a = ?', valueAt(1), valueAt(0));
      });
    expect(compiled(withValues(plan(), ['a', 'b']))).toEqual({ sql: 'select $1 where a = $2', parameters: ['b', 'a'] });
    expect(compiled(withValues(plan(), ['c', 'd']))).toEqual({ sql: 'select $1 where a = $2', parameters: ['d', 'c'] });
    expect(written).toBe(1);
  });
  it('throws for a value that is no placeholder', () => {
    expect(() => statements().plan('shape', () => query('select ?', 'a secret'))).toThrow('no placeholder');
    expect(() => statements().plan('shape', () => query('select ?', 42))).toThrow('no placeholder');
  });
  it('is bounded', () => {
    const cache = statements();
    for (let i = 0; i < 1500; i++) cache.plan(`shape ${i}`, () => query('select 1'));
    expect(cache.size).toBe(1000);
  });
});

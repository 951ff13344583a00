import { expect, it } from 'vitest';
import { asRefusal, DatabaseRefused } from './refused.ts';

const url = 'postgres://owner:s3cret%21@db.example:5433/shop';
const failing = (message: string, fields: object): Error => Object.assign(new Error(message), fields);

it('names host, database and role, never the password', () => {
  const cases: [Error, string][] = [
    [
      failing('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }),
      `database "shop" on db.example:5433 can't be reached`,
    ],
    [failing('timeout expired', {}), `can't be reached: timeout expired`],
    [failing('password authentication failed', { code: '28P01' }), 'rejects "owner": password authentication failed (28P01)'],
    [failing('database "shop" does not exist', { code: '3D000' }), 'create the database'],
    [failing('unsupported startup parameter: options', { code: '08P01' }), 'DATABASE_URL_DIRECT'],
    [failing('permission denied to create role', { code: '42501' }), 'createrole'],
    [
      new AggregateError([failing('connect ECONNREFUSED ::1:5433', { code: 'ECONNREFUSED', syscall: 'connect' })], ''),
      'connect ECONNREFUSED ::1:5433',
    ],
  ];
  for (const [error, text] of cases) {
    const told = asRefusal(error, url) as Error;
    expect(told, text).toBeInstanceOf(DatabaseRefused);
    expect(told.message).toContain(text);
    expect(told.message).not.toContain('s3cret');
  }
  const socket = asRefusal(cases[0]?.[0], 'postgres://o:p@localhost/shop?host=%2Frun%2Fpg') as Error;
  expect(socket.message).toContain('on /run/pg ');
});

it('leaves alone what is not about the connection', () => {
  for (const error of [
    failing('duplicate key', { code: '23505' }),
    failing('no such file', { code: 'ENOENT', syscall: 'open', path: '/x' }),
    failing('aborted', { code: 20 }),
    'text',
  ])
    expect(asRefusal(error, url)).toBe(error);
});

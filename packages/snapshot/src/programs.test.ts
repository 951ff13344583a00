import { expect, test } from 'vitest';
import { connectionOf } from './programs.ts';

test('the programs get the parameters that they know, and the password in the environment', () => {
  const url = 'postgres://shop:p%40ss@db.example/shop?sslmode=require&uselibpqcompat=true&pool_max=4&application_name=shop';
  expect(connectionOf(url)).toEqual({
    dbname: 'postgres://shop@db.example/shop?sslmode=require&application_name=shop',
    env: { PGPASSWORD: 'p@ss' },
  });
  expect(connectionOf('postgres://db.example/shop?sslmode=no-verify&require_auth=scram-sha-256').dbname).toBe(
    'postgres://db.example/shop?sslmode=require&require_auth=scram-sha-256',
  );
  expect(connectionOf('postgres:///shop?host=/run/postgresql')).toEqual({
    dbname: 'postgres:///shop?host=%2Frun%2Fpostgresql',
    env: {},
  });
});

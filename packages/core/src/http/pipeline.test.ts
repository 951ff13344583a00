import type Koa from 'koa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPipeline } from './pipeline.ts';
import type { PipelineHost } from './pipeline-host.ts';
import { problemTable } from './problems.ts';
import type { ResponseParts } from './response.ts';
import { type HttpServer, listen } from './server.ts';

let server: HttpServer;
let errors: unknown[];
let observed: number[];
let response: () => ResponseParts;
let allowedOrigins: () => readonly string[];

beforeEach(async () => {
  errors = [];
  observed = [];
  allowedOrigins = () => [];
  const route = {
    family: 'core',
    path: '/',
    plugin: null,
    limits: [],
    parseParams: () => ({}),
    route: { method: 'GET', options: {} },
  };
  const host = {
    routes: { match: () => ({ route, params: {} }), allowed: () => [] },
    problems: problemTable([]),
    tenants: { byHost: async () => ({ tenant: { id: '1', hosts: [] } }) },
    authenticator: () => undefined,
    core: async () => response(),
    allowedOrigins: () => allowedOrigins(),
    ipOf: () => null,
    schemeOf: () => 'http',
    draining: () => false,
    observe: (_: unknown, __: string, status: number) => observed.push(status),
    onError: (error: unknown) => errors.push(error),
  } as unknown as PipelineHost;
  server = await listen(createPipeline(host) as Koa.Middleware, 0, '127.0.0.1', () => undefined);
});
afterEach(() => server.close());

const call = (headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}/`, { headers: { 'x-request-id': 'request-1', ...headers } });
async function expectInternalError(answer: Response): Promise<void> {
  expect(answer.status).toBe(500);
  expect(answer.headers.get('content-type')).toMatch('application/problem+json');
  expect(answer.headers.get('x-request-id')).toBe('request-1');
  expect(await answer.json()).toMatchObject({ code: 'internal_error', requestId: 'request-1' });
  expect(observed).toEqual([500]);
}

it('turns an error after the handler into a problem, and reports it', async () => {
  response = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'done' });
  allowedOrigins = () => {
    throw new Error('settings are unreadable');
  };
  await expectInternalError(await call({ origin: 'https://else.test' }));
  expect(errors).toMatchObject([{ message: 'settings are unreadable' }]);
});

it.each([
  ['a text', () => 'done'],
  ['an empty body', () => null],
])('turns a header that HTTP can’t carry into a problem, with %s', async (_, body) => {
  response = () => ({ status: 200, headers: { 'content-type': 'text/plain', 'x-name': 'ș\n' }, body: body() });
  const answer = await call();
  expect(answer.headers.get('x-name')).toBeNull();
  await expectInternalError(answer);
  expect(errors).toMatchObject([{ code: 'ERR_INVALID_CHAR' }]);
});

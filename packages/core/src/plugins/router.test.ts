import { definePlugin, f } from '@storeloom/plugin-sdk';
import { createRouter, type PluginRouters, type Router, routeOptions } from '@storeloom/plugin-sdk/router';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { mountRoutes } from './mount.ts';

const handler = (): void => undefined;
const read = routeOptions({ permission: 'sample.thing.read' });

function mounted(router: (r: PluginRouters) => void) {
  const problems: string[] = [];
  const { routes, permissions } = mountRoutes('sample', definePlugin({ name: 'sample', router }), (text) => problems.push(text));
  return { problems, routes, permissions };
}
const paths = (router: (r: PluginRouters) => void): string[] => {
  const { problems, routes } = mounted(router);
  expect(problems).toEqual([]);
  return routes.map((entry) => `${entry.route.method} ${entry.path}`);
};
const refusals = (router: (r: PluginRouters) => void): string[] => mounted(router).problems;

describe('routes of a router', () => {
  test('lie under the prefix of their family; those of auth and storefront are mirrored', () => {
    expect(
      paths((r) => {
        r.admin.get('/things/:id', read, handler);
        r.storefront.post('/things', handler);
        r.superAdmin.delete('/things/:id', handler);
        r.auth.get('/callback', handler);
        r.system.get('/things.xml', handler);
      }),
    ).toEqual([
      'GET /api/admin/things/{id}',
      'POST /api/storefront/things',
      'POST /api/v1/storefront/things',
      'DELETE /api/super-admin/things/{id}',
      'GET /api/auth/callback',
      'GET /api/v1/auth/callback',
      'GET /things.xml',
    ]);
  });

  test('that would be served nowhere are refused', () => {
    const nothing = 'its router function throws: on() has no effect: the kernel answers unknown paths with 404';
    expect(refusals((r) => void r.admin.on('not-found', handler))).toEqual([expect.stringContaining(nothing)]);
    expect(refusals((r) => void r.admin.use(createRouter().on('not-found', handler).routes()))).toEqual([
      expect.stringContaining(nothing),
    ]);
    const late: [string, (nested: Router) => unknown][] = [
      ['/late', (nested) => nested.get('/late', read, handler)],
      ['use()', (nested) => nested.use(handler)],
      ['/p', (nested) => nested.prefix('/p')],
    ];
    for (const [what, declare] of late)
      expect(
        refusals((r) => {
          const nested: Router = createRouter();
          nested.get('/early', read, handler);
          r.admin.use('/nested', nested.routes());
          declare(nested);
        }),
      ).toEqual([
        `its router function throws: ${what} is declared after routes() of its router was nested, and would be served nowhere. Declare it before.`,
      ]);
  });

  test('take prefixes, nested routers, lists of paths and `all`', () => {
    expect(
      paths((r) => {
        r.storefront.prefix('/shelf');
        r.storefront.get(['/', '/:row'], handler);
        const books = createRouter({ prefix: '/books' });
        books.put('/:isbn', handler);
        const pages = createRouter();
        pages.get('/pages/:page', handler);
        books.use('/:isbn', pages.routes());
        r.storefront.use('/deep', books.routes());
      }).filter((path) => !path.includes('/v1/')),
    ).toEqual([
      'GET /api/storefront/shelf',
      'GET /api/storefront/shelf/{row}',
      'PUT /api/storefront/shelf/deep/books/{isbn}',
      'GET /api/storefront/shelf/deep/books/{isbn}/pages/{page}',
    ]);
    expect(paths((r) => r.system.all('/any', handler))).toEqual(
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((m) => `${m} /any`),
    );
  });

  test('carry the options of route(); no transaction is open unless the route asks for one', () => {
    const { routes, permissions } = mounted((r) => {
      r.admin.post('/a', routeOptions({ permission: 'sample.thing.write', summary: 'Write a thing' }), handler);
      r.admin.post('/b', routeOptions({ permission: 'sample.thing.write', transaction: 'request' }), handler);
      r.admin.all('/c', routeOptions({ permission: 'sample.thing.read' }), handler);
      r.admin.get('/c', routeOptions({ permission: 'sample.thing.list' }), handler);
    });
    const options = Object.fromEntries(routes.map(({ route: each, path }) => [`${each.method} ${path}`, each.options]));
    expect(options['POST /api/admin/a']).toMatchObject({ transaction: 'none', idempotent: false });
    expect(options['POST /api/admin/b']).toEqual({ permission: 'sample.thing.write' });
    expect(options['GET /api/admin/c']?.permission).toBe('sample.thing.list');
    expect(options['PUT /api/admin/c']?.permission).toBe('sample.thing.read');
    expect(permissions.get('sample.thing.write')).toBe('Write a thing');
  });

  test('type the request for the handlers after routeOptions', () => {
    mounted((r) => {
      r.admin.post(
        '/typed',
        routeOptions({ permission: 'sample.thing.read', body: { name: f.text() }, query: { n: f.int().default(1) } }),
        (koa) => {
          expectTypeOf(koa.state.req.body.name).toEqualTypeOf<string>();
          expectTypeOf(koa.state.req.query.n).toEqualTypeOf<number>();
          expectTypeOf(koa.state.ctx.tenant.id).toEqualTypeOf<string>();
        },
      );
    });
  });
});

describe('refused at load, by method and path', () => {
  test('an admin route without a permission', () => {
    expect(
      refusals((r) => {
        r.admin.use(handler);
        r.admin.delete('/things/:id', handler);
      }),
    ).toEqual(['DELETE /api/admin/things/{id} names no permission']);
  });

  test.each([
    ['a regular expression', /^\/files\/(.+)$/, 'a regular expression can\'t be a route; write a path such as "/files/:name"'],
    ['a wildcard', '/files/*path', 'write one parameter for each segment, "/files/:folder/:name"'],
    ['an optional part', '/files{/:name}', 'give the paths as a list, ["/files", "/files/:name"]'],
    ['a parameter within a segment', '/files/:name.csv', 'write ":name" for ":name.csv" and check its value'],
    ['two parameters in a segment', '/files/:from-:to', 'write ":name" for ":from-:to" and check its value'],
    ['a quoted name', '/files/:"the name"', 'name parameters by letters and digits'],
    ['an escape', '/files/a\\:b', 'name parameters by letters and digits'],
    ['a name that begins with _', '/files/:_name', 'write ":name" for ":_name"'],
    ['a character outside of the unreserved', '/files/caf\u00e9', 'segments are text or {name}'],
    ['no path', '', 'a path begins with /'],
    ['a relative path', 'files', 'a path begins with /'],
  ])('%s', (_, path, why) => {
    const [problem, ...more] = refusals((r) => void r.system.get(path, handler));
    expect(more).toEqual([]);
    expect(problem).toContain(String(path));
    expect(problem).toContain('GET');
    expect(problem).toContain(why);
  });

  test('what @koa/router itself does not read', () => {
    expect(refusals((r) => void r.admin.get('/files/(.*)', read, handler))).toEqual([
      expect.stringMatching(/^its router function throws: .*\/files\/\(\.\*\)/),
    ]);
  });

  test('methods that the kernel serves, or that no route has', () => {
    expect(refusals((r) => void r.system.head('/a', handler))).toEqual([
      'r.system: /a: HEAD is served wherever GET is; declare GET',
    ]);
    expect(refusals((r) => void r.system.options('/a', handler))).toEqual([
      'r.system: /a: OPTIONS is served by the kernel, which answers CORS preflights',
    ]);
    expect(refusals((r) => void r.system.register('/a', ['PURGE'], [handler]))).toEqual([
      'r.system: /a: PURGE is no method of a route; use GET, POST, PUT, PATCH, DELETE',
    ]);
  });

  test('middleware that would miss what it guards, and options that belong to a route', () => {
    expect(refusals((r) => void r.admin.use(/^\/things/, handler))).toEqual([
      'r.admin.use(/^\\/things/): a regular expression has no prefix; write the path as text',
    ]);
    expect(refusals((r) => void r.admin.use('/things/', handler))).toEqual([
      'r.admin.use(/things/): paths match without their trailing slash; leave it out',
    ]);
    expect(refusals((r) => void r.admin.use(read))).toEqual([
      expect.stringContaining('routeOptions belongs to each route, not to use()'),
    ]);
    expect(refusals((r) => void r.admin.get('/a', read, read, handler))).toEqual([
      'GET /api/admin/a has routeOptions 2 times; give them once',
    ]);
  });

  test('duplicates, strict slashes, paths of another family, an async function', () => {
    expect(
      refusals((r) => {
        r.system.get('/a/:id', handler);
        r.system.get('/a/:key', handler);
      }),
    ).toEqual(['GET /a/{key} is declared twice on r.system; give both to one route']);
    const strict = createRouter({ strict: true });
    strict.get('/s', handler);
    expect(refusals((r) => void r.system.use(strict.routes()))).toEqual([
      'r.system: GET /s: a path is served with and without its trailing slash; leave out `strict`',
    ]);
    expect(refusals((r) => void r.system.get('/api/admin/things', handler))).toEqual([
      'GET /api/admin/things belongs to a family of routes; a system route may not lie there',
    ]);
    expect(refusals(async () => undefined)).toEqual(['its router function is async; declare the routes synchronously']);
  });
});

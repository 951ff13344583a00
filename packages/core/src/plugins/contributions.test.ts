import type { Reason } from '@storeloom/keys';
import {
  authenticator,
  collect,
  definePlugin,
  entityOf,
  event,
  everyPublicEvent,
  f,
  inbound,
  on,
  one,
  type PluginDefinition,
  type PluginStateRecord,
  platformRoute,
  provide,
  resource,
  route,
  series,
  service,
  table,
  token,
  waterfall,
} from '@storeloom/plugin-sdk';
import { routeOptions } from '@storeloom/plugin-sdk/router';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { describe, expect, test } from 'vitest';
import { type Contributions, collectContributions, RouteConflict } from './contributions.ts';
import type { PluginRegistry } from './load.ts';
import type { LoadedPlugin, Manifest } from './registry.ts';

const answer = async (): Promise<null> => null;
const admin = (path: string, permission: string, method: 'GET' | 'POST' = 'GET') => route(method, path, { permission }, answer);
const shop = (path: string, method: 'GET' | 'POST' = 'GET') => route(method, path, {}, answer);

/** A registry of these plugins; each requires those named beside it. */
function registryOf(list: readonly [PluginDefinition, ...string[]][]): PluginRegistry & { failed: Map<string, Reason> } {
  const failed = new Map<string, Reason>();
  const loaded = list.map(([definition, ...requires]): LoadedPlugin => {
    const { name } = definition;
    const manifest = {
      package: `@storeloom/plugin-${name}`,
      version: '1.0.0',
      name,
      foundation: name === 'identity',
      requires: requires.map((required) => ({ name: required })),
    };
    return { manifest: manifest as unknown as Manifest, plugin: definePlugin(definition) };
  });
  const isOut = ({ manifest }: LoadedPlugin): boolean =>
    failed.has(manifest.name) ||
    manifest.requires.some(({ name }) => loaded.some((other) => other.manifest.name === name && isOut(other)));
  return {
    failed,
    get loaded() {
      return loaded.filter((entry) => !isOut(entry));
    },
    get byName() {
      return new Map(loaded.filter((entry) => !isOut(entry)).map((entry) => [entry.manifest.name, entry]));
    },
    states: (): PluginStateRecord[] => [],
    imported: () => undefined,
    markFailed: (name, reason) => void failed.set(name, reason),
  };
}
const taken = (...definitions: PluginDefinition[]): Contributions => {
  const registry = registryOf(definitions.map((definition) => [definition]));
  const contributions = collectContributions(registry);
  expect([...registry.failed]).toEqual([]);
  return contributions;
};
/** Why the last of these is refused; the ones before it must be taken. */
const refusal = (...definitions: PluginDefinition[]): string => {
  const registry = registryOf(definitions.map((definition) => [definition]));
  const contributions = collectContributions(registry);
  const last = definitions.at(-1) as PluginDefinition;
  expect([...registry.failed.keys()]).toEqual([last.name]);
  expect(registry.failed.get(last.name)).toMatchObject({ code: 'contribution_invalid' });
  expect(contributions.routes.some((entry) => entry.plugin === last.name)).toBe(false);
  return (
    registry.failed
      .get(last.name)
      ?.message.split('\n')
      .find((line) => line.includes('why')) ?? ''
  );
};
const paths = ({ routes }: Contributions): string[] =>
  routes.map((entry) => `${entry.family} ${entry.route.method} ${entry.fullPath}`);

describe('routes', () => {
  test('each family has its prefix; auth and storefront are mirrored', () => {
    const contributions = taken({
      name: 'identity',
      admin: [admin('/users/', 'identity.user.read')],
      storefront: [shop('/wishlist/')],
      superAdmin: [platformRoute('GET', '/stats', {}, answer)],
      auth: [shop('/login', 'POST')],
      system: [shop('/api/csrf-token')],
    });
    expect(paths(contributions)).toEqual([
      'admin GET /api/admin/users/',
      'storefront GET /api/storefront/wishlist/',
      'storefront GET /api/v1/storefront/wishlist/',
      'super-admin GET /api/super-admin/stats',
      'auth POST /api/auth/login',
      'auth POST /api/v1/auth/login',
      'system GET /api/csrf-token',
    ]);
    expect(contributions.routes.map((entry) => entry.path)).toContain('/api/v1/storefront/wishlist');
    expect(contributions.routes.filter((entry) => entry.mirror).map((entry) => entry.path)).toEqual([
      '/api/v1/storefront/wishlist',
      '/api/v1/auth/login',
    ]);
  });

  test('a router adds its routes, and claims them like every other list', () => {
    const router: PluginDefinition['router'] = (r) => {
      r.storefront.get('/wishlist/:id', answer);
      r.admin.get('/wishlists', routeOptions({ permission: 'wishes.list.read' }), answer);
    };
    const contributions = taken({ name: 'wishes', router });
    expect(paths(contributions)).toContain('admin GET /api/admin/wishlists');
    expect(contributions.permissions.map(({ name }) => name)).toEqual(['wishes.list.read']);
    expect(() => taken({ name: 'wishes', router }, { name: 'gifts', storefront: [shop('/wishlist/{name}')] })).toThrow(
      /GET \/api\/storefront\/wishlist\/\{name\}: wishes and gifts/,
    );
    expect(refusal({ name: 'wishes', router: (r) => void r.admin.get('/wishlists', answer) })).toContain(
      'GET /api/admin/wishlists names no permission',
    );
  });

  test('a route may stay out of the mirror', () => {
    const contributions = taken({
      name: 'booking',
      storefront: [route('POST', '/baskets', { mirror: false }, answer), shop('/baskets')],
      router: (r) => void r.storefront.put('/baskets', routeOptions({ mirror: false }), answer),
    });
    expect(paths(contributions)).toEqual([
      'storefront POST /api/storefront/baskets',
      'storefront GET /api/storefront/baskets',
      'storefront GET /api/v1/storefront/baskets',
      'storefront PUT /api/storefront/baskets',
    ]);
  });

  test('figures and webhooks have paths of their own', () => {
    const receiver = {
      provider: 'p',
      tenant: async () => undefined,
      verify: async () => false,
      eventId: () => 'e',
      handle: async () => undefined,
    };
    const contributions = taken({
      name: 'payments',
      stats: { payments: async () => ({ metrics: {} }) },
      webhooks: {
        'payment-a/{tenantId}': inbound(receiver),
        'payment-b': inbound({ ...receiver, challenge: async () => ({ status: 200 }) }),
        'payment-c': inbound({ ...receiver, method: 'GET' }),
      },
    });
    expect(contributions.stats).toMatchObject([
      { plugin: 'payments', name: 'payments', path: '/api/admin/dashboard/payments-stats', permission: 'payments.stats.read' },
    ]);
    expect(contributions.permissions).toContainEqual({
      name: 'payments.stats.read',
      plugin: 'payments',
      title: 'See the figures',
    });
    expect(contributions.inbound.map(({ key, path, methods }) => [key, path, methods])).toEqual([
      ['payment-a/{tenantId}', '/api/webhooks/payment-a/{tenantId}', ['POST']],
      ['payment-b', '/api/webhooks/payment-b', ['POST', 'GET']],
      ['payment-c', '/api/webhooks/payment-c', ['GET']],
    ]);
  });

  test.each<[string, PluginDefinition, PluginDefinition, string]>([
    [
      'the same path',
      { name: 'a', storefront: [shop('/x')] },
      { name: 'b', storefront: [shop('/x')] },
      'GET /api/storefront/x: a and b',
    ],
    [
      'a trailing slash',
      { name: 'a', storefront: [shop('/x/')] },
      { name: 'b', storefront: [shop('/x')] },
      'GET /api/storefront/x: a and b',
    ],
    [
      'another parameter',
      { name: 'a', storefront: [shop('/x/{id}')] },
      { name: 'b', storefront: [shop('/x/{slug}')] },
      'GET /api/storefront/x/{slug}: a and b',
    ],
    [
      'a figure',
      { name: 'a', admin: [admin('/dashboard/x-stats', 'a.stats.read')] },
      { name: 'b', stats: { x: async () => ({ metrics: {} }) } },
      'GET /api/admin/dashboard/x-stats: a and b',
    ],
  ])('two plugins that claim %s stop the boot, both named', (_, first, second, conflict) => {
    const run = () => collectContributions(registryOf([[first], [second]]));
    expect(run).toThrow(RouteConflict);
    expect(run).toThrow(conflict);
  });

  test("the core's own routes can't be claimed; all conflicts are reported together", () => {
    const registry = registryOf([
      [{ name: 'a', system: [shop('/health'), shop('/openapi.json')], storefront: [shop('/x')] }],
      [{ name: 'b', storefront: [shop('/x')] }],
    ]);
    try {
      collectContributions(registry);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        name: 'RouteConflict',
        exitCode: 1,
        conflicts: ['GET /health: core and a', 'GET /openapi.json: core and a', 'GET /api/storefront/x: a and b'],
      });
    }
  });

  test('another method, a static segment beside a parameter, another family: no conflict', () => {
    taken(
      { name: 'a', storefront: [shop('/x/{id}')], admin: [admin('/x/{id}', 'a.x.read')] },
      { name: 'b', storefront: [shop('/x/{id}', 'POST'), shop('/x/mine')] },
    );
  });

  test('a plugin that claims one route twice fails alone', () => {
    expect(refusal({ name: 'a', storefront: [shop('/x/{id}'), shop('/x/{slug}')] })).toContain(
      'it claims GET /api/storefront/x/{slug} twice',
    );
  });

  test.each([
    'x',
    '//x',
    '/x//y',
    '/x/../y',
    '/./x',
    '/x/{id',
    '/x/{1}',
    '/x/{id}y',
    '/x/*',
    '/x?y',
    '/x y',
    '/x/{id}/{id}',
    '/ü',
    '/x/%2e',
    '',
  ])('the path %j is refused', (path) => {
    expect(refusal({ name: 'a', storefront: [shop(path)] })).toMatch(/path|two parameters/);
  });

  test.each([
    '/api/admin/x',
    '/api/admin',
    '/api/storefront/x',
    '/api/v1/x',
    '/api/super-admin/x',
    '/api/auth/x',
    '/api/webhooks/x',
  ])('the system route %s is refused', (path) => {
    expect(refusal({ name: 'a', system: [shop(path)] })).toContain('may not lie there');
  });
});

describe('permissions', () => {
  test('come from routes, resources and the extra list, each once', () => {
    const thing = resource('thing', { path: 'things', verbs: ['list', 'get', 'remove'], fields: { name: f.text() } });
    const contributions = taken({
      name: 'a',
      admin: [
        thing,
        route('GET', '/y', { permission: 'a.thing.read', summary: 'Y' }, answer),
        route('GET', '/z', { permission: 'a.z.read', summary: 'See z' }, answer),
      ],
      storefront: [resource('shown', { path: 'shown', verbs: ['list'], fields: { name: f.text() } })],
      permissions: { 'a.extra.use': 'Use the extra' },
    });
    expect(contributions.permissions.map(({ name }) => name)).toEqual([
      'a.extra.use',
      'a.thing.read',
      'a.thing.delete',
      'a.z.read',
    ]);
    expect(contributions.permissions).toContainEqual({ name: 'a.z.read', plugin: 'a', title: 'See z' });
  });

  test('an admin route without one is refused', () => {
    expect(refusal({ name: 'a', admin: [route('GET', '/x', {}, answer)] })).toContain('GET /api/admin/x names no permission');
  });

  test('admin routes of the plugin that authenticates may be open, and no others', () => {
    const admin = [route('POST', '/2fa/verify', { auth: 'open' }, answer)];
    taken({
      name: 'identity',
      admin,
      provides: [provide(authenticator, () => ({ authenticate: answer, checkCsrf: () => false }) as never)],
    });
    expect(refusal({ name: 'a', admin })).toContain('POST /api/admin/2fa/verify may not be open');
    expect(refusal({ name: 'a', admin: [route('GET', '/x', { auth: 'public', permission: 'a.x.read' }, answer)] })).toContain(
      'for storefront routes',
    );
  });

  test("another plugin's may be named once it declares it", () => {
    taken(
      { name: 'identity', permissions: { 'identity.self.use': 'Use it' } },
      { name: 'a', admin: [admin('/x', 'identity.self.use')] },
    );
    expect(refusal({ name: 'a', admin: [admin('/x', 'identity.self.use')] })).toContain(
      'identity.self.use, which no plugin before it declares',
    );
    expect(refusal({ name: 'a', permissions: { 'identity.self.use': 'Mine now' } })).toContain('must begin with a.');
  });

  test.each(['a.x', 'a.x.y.z', 'a.*.read', 'a..read', 'a.x.'])('%s is no permission', (permission) => {
    expect(refusal({ name: 'a', admin: [admin('/x', permission)] })).toContain('<plugin>.<resource>.<action>');
  });
});

describe('tables and references', () => {
  const line = table('line', { productId: f.ref('catalog.product'), note: f.ref('catalog.product').virtual() });
  const product = resource('product', {
    path: 'products',
    verbs: ['list'],
    fields: { parentId: f.ref('catalog.product').optional() },
  });

  test('entities by name, referrers by their target', () => {
    const contributions = taken(
      { name: 'catalog', admin: [product], storefront: [product] },
      { name: 'gift-cards', tables: [line] },
    );
    expect([...contributions.entities.values()].map(({ name, plugin, sqlName, path }) => [name, plugin, sqlName, path])).toEqual([
      ['catalog.product', 'catalog', 'catalog_product', 'products'],
      ['gift-cards.line', 'gift-cards', 'gift_cards_line', 'line'],
    ]);
    expect(contributions.referrers.get('catalog.product')).toEqual([
      {
        entity: 'catalog.product',
        plugin: 'catalog',
        path: 'products',
        table: 'catalog_product',
        column: 'parent_id',
        softDeleted: false,
        target: 'catalog.product',
      },
      {
        entity: 'gift-cards.line',
        plugin: 'gift-cards',
        path: 'line',
        table: 'gift_cards_line',
        column: 'product_id',
        softDeleted: false,
        target: 'catalog.product',
      },
    ]);
  });

  test('children of a resource are entities too', () => {
    const step = resource('step', { path: 'steps', verbs: ['list'], fields: { thingId: f.ref('a.thing') }, deletes: 'soft' });
    const thing = resource('thing', {
      path: 'things',
      verbs: ['list'],
      fields: { name: f.text() },
      children: { steps: { resource: step, parent: 'thingId' } },
    });
    const contributions = taken({ name: 'a', admin: [thing] });
    expect([...contributions.entities.keys()]).toEqual(['a.thing', 'a.step']);
    expect(contributions.referrers.get('a.thing')).toMatchObject([{ table: 'a_step', column: 'thing_id', softDeleted: true }]);
  });

  test('a reference to a plugin that is not there is fine, one to nothing is not', () => {
    taken({ name: 'a', tables: [table('x', { roomId: f.ref('hotel.room') })] });
    expect(refusal({ name: 'a', tables: [table('x', { yId: f.ref('a.y') })] })).toContain(
      'a.x.y_id refers to a.y, which does not exist',
    );
    expect(
      refusal({ name: 'b', tables: [table('z', {})] }, { name: 'a', tables: [table('x', { yId: f.ref('b.y') })] }),
    ).toContain('refers to b.y');
  });

  test('two tables of one name, in one plugin or by their SQL name', () => {
    expect(refusal({ name: 'a', tables: [table('x', {}), table('x', {})] })).toContain('two tables are called a.x');
    expect(
      refusal({ name: 'gift', tables: [table('cards-line', {})] }, { name: 'gift-cards', tables: [table('line', {})] }),
    ).toContain("gift_cards_line is gift's already");
    expect(refusal({ name: 'a', tables: [table('Bad Name', {})] })).toContain('must be named by words');
  });
});

describe('entities', () => {
  test('with a relation that leads out of the plugin are refused', () => {
    const other = table('other', {});
    const stay = table('stay', { otherId: f.id() });
    entityOf(stay, { relations: { other: one(other, 'otherId') } });
    definePlugin({ name: 'elsewhere', tables: [other] });
    expect(refusal({ name: 'a', tables: [stay] })).toContain(
      "a.stay: relation other leads to a table that is none of the plugin's",
    );
  });
});

describe('events and jobs', () => {
  test('named events, those of resources, and who listens', () => {
    const moves = { publish: { from: ['draft'], to: 'live' } } as const;
    const machine = { machine: defineMachine({ start: 'draft', states: ['draft', 'live'], moves }) };
    const thing = resource('thing', {
      path: 'things',
      verbs: ['create', 'update', 'remove'],
      fields: { name: f.text() },
      ...(machine as object),
    });
    const contributions = taken(
      {
        name: 'a',
        admin: [thing],
        events: { emits: [event('a.thing.created', { public: true, title: 'Made', data: { id: f.id() } })] },
      },
      {
        name: 'b',
        events: {
          on: [
            ...['a.thing.created', 'a.thing.lost', 'hotel.room.freed'].map((id) =>
              on(event(id, { data: {} }), async () => undefined),
            ),
            on(everyPublicEvent, async () => undefined),
          ],
        },
      },
    );
    expect(
      [...contributions.events.values()].map(({ type, plugin, implied, public: isPublic }) => [
        type,
        plugin,
        implied,
        isPublic ?? false,
      ]),
    ).toEqual([
      ['a.thing.created', 'a', false, true],
      ['a.thing.updated', 'a', true, false],
      ['a.thing.deleted', 'a', true, false],
      ['a.thing.live', 'a', true, false],
    ]);
    expect(contributions.handlers.get('a.thing.created')?.map(({ plugin }) => plugin)).toEqual(['b']);
    expect(contributions.warnings).toEqual(["b listens for a.thing.lost, which its plugin doesn't announce"]);
  });

  test("an event under another plugin's name is refused", () => {
    expect(refusal({ name: 'a', events: { emits: [event('orders.order.placed', { data: {} })] } })).toContain(
      'must be called a.',
    );
  });

  test('an event that is declared or handled twice is refused', () => {
    const made = event('a.thing.made', { data: {} });
    expect(refusal({ name: 'a', events: { emits: [made, made] } })).toContain('declares the event a.thing.made twice');
    const handler = on(made, async () => undefined);
    expect(refusal({ name: 'a', events: { on: [handler, handler] } })).toContain('handles the event a.thing.made twice');
  });

  test('jobs', () => {
    const run = answer as unknown as () => Promise<void>;
    const contributions = taken({
      name: 'a',
      jobs: { settle: { cron: '0 3 * * *', perTenant: true, run }, sweep: { platform: true, run } },
    });
    expect(contributions.jobs.map(({ plugin, name }) => `${plugin}.${name}`)).toEqual(['a.settle', 'a.sweep']);
    expect(refusal({ name: 'a', jobs: { 'bad name': { run } } })).toContain('no name of a job');
    expect(refusal({ name: 'a', jobs: { x: { platform: true, perTenant: true, run } as never } })).toContain('both per tenant');
    expect(refusal({ name: 'a', jobs: { x: {} as never } })).toContain('no run function');
  });
});

describe('hooks and services', () => {
  const lines = waterfall<number>('checkout:lines.resolve');
  test('taps by hook, ordered by stage, then by dependency', () => {
    const tap =
      (value: number): ((ctx: unknown, input: number) => number) =>
      (_, input) =>
        input + value;
    const contributions = taken(
      { name: 'a', hooks: (h) => h.on(lines, tap(1), { stage: 60 }) },
      { name: 'b', hooks: (h) => h.on(token<typeof lines>('checkout:lines.resolve'), tap(2)) },
      {
        name: 'c',
        hooks(h) {
          h.on(lines, tap(3), { stage: 10 });
          h.on(lines, tap(4));
        },
      },
    );
    expect(
      contributions.taps.get('checkout:lines.resolve')?.map(({ plugin, stage, fn }) => [plugin, stage, fn({} as never, 0)]),
    ).toEqual([
      ['c', 10, 3],
      ['b', 50, 2],
      ['c', 50, 4],
      ['a', 60, 1],
    ]);
  });

  test('taps with `before` last, in the order in which they can be registered', () => {
    const tap = (_: unknown, input: number): number => input;
    const contributions = taken(
      { name: 'a', hooks: (h) => h.on(lines, tap, { before: 'b' }) },
      { name: 'b', hooks: (h) => h.on(lines, tap, { before: ['c', 'absent'] }) },
      { name: 'c', hooks: (h) => h.on(lines, tap, { stage: 90 }) },
    );
    expect(contributions.taps.get('checkout:lines.resolve')?.map(({ plugin }) => plugin)).toEqual(['c', 'b', 'a']);
    const circle = refusal(
      { name: 'a', hooks: (h) => h.on(lines, tap, { before: 'b' }) },
      { name: 'b', hooks: (h) => h.on(lines, tap, { before: 'a' }) },
    );
    expect(circle).toContain("the taps of checkout:lines.resolve can't be ordered: a before b, b before a");
    expect(refusal({ name: 'a', hooks: (h) => h.on(lines, tap, { before: 'a' }) })).toContain('before a itself');
  });

  test('observers of one hook and of all', () => {
    const observer = {};
    const contributions = taken({
      name: 'trace',
      hooks(h) {
        h.intercept(lines, observer);
        h.intercept('*', observer);
      },
    });
    expect(contributions.interceptions).toEqual(
      ['checkout:lines.resolve', '*'].map((hook) => ({ plugin: 'trace', hook, observer })),
    );
    expect(refusal({ name: 'a', hooks: (h) => h.intercept(collect<number, number>('nonsense'), observer) })).toContain(
      'no name of a hook',
    );
  });

  test('one hook of two kinds, or with two error policies, is refused', () => {
    const first: PluginDefinition = { name: 'a', hooks: (h) => h.on(lines, (_, value) => value) };
    expect(
      refusal(first, { name: 'b', hooks: (h) => h.on(series<number>('checkout:lines.resolve'), () => undefined) }),
    ).toContain('series, fail here and waterfall, fail in a');
    const skipping = waterfall<number>('checkout:lines.resolve', { policy: 'skip' });
    expect(refusal(first, { name: 'b', hooks: (h) => h.on(skipping, (_, value) => value) })).toContain('waterfall, skip here');
  });

  test('a hooks function that throws, or taps nonsense', () => {
    expect(
      refusal({
        name: 'a',
        hooks: () => {
          throw new Error('no luck');
        },
      }),
    ).toContain('its hooks function throws: no luck');
    expect(refusal({ name: 'a', hooks: (h) => h.on(collect<number, number>('nonsense'), () => []) })).toContain(
      'no name of a hook',
    );
    expect(refusal({ name: 'a', hooks: (h) => h.on(lines, undefined as never) })).toContain('no function');
    expect(refusal({ name: 'a', hooks: (h) => h.on(lines, (_, value) => value, { stage: Number.NaN }) })).toContain(
      'the stage NaN',
    );
  });

  test('services by id, each from one plugin', () => {
    const stock = service<number>('inventory:stock');
    const contributions = taken({ name: 'inventory', provides: [provide(stock, () => 7)] });
    expect(contributions.services.get('inventory:stock')?.plugin).toBe('inventory');
    expect(contributions.services.get('inventory:stock')?.make({} as never)).toBe(7);
    expect(
      refusal({ name: 'inventory', provides: [provide(stock, () => 7)] }, { name: 'b', provides: [provide(stock, () => 8)] }),
    ).toContain("inventory:stock is inventory's already");
    expect(refusal({ name: 'a', provides: [provide(stock, () => 1), provide(stock, () => 2)] })).toContain('provided twice');
  });

  test("the kernel's services are the kernel's; who calls, only a foundation plugin may answer", () => {
    const authenticator = provide(service('kernel:authenticator'), () => ({}));
    taken({ name: 'identity', provides: [authenticator] });
    expect(refusal({ name: 'a', provides: [authenticator] })).toContain('kernel:authenticator is not for this plugin');
    expect(refusal({ name: 'identity', provides: [provide(service('kernel:tenants'), () => ({}))] })).toContain(
      'kernel:tenants is not for this plugin',
    );
  });
});

describe('errors, settings, messages', () => {
  test('a code has one meaning', () => {
    const errors = { room_taken: { status: 409, title: 'The room is taken' } };
    expect(taken({ name: 'a', errors }, { name: 'b', errors: { ...errors } }).errors.get('room_taken')).toEqual(
      errors.room_taken,
    );
    expect(
      refusal({ name: 'a', errors }, { name: 'b', errors: { room_taken: { status: 422, title: 'The room is taken' } } }),
    ).toContain('is declared differently in a (409');
    expect(refusal({ name: 'a', errors: { not_found: { status: 404, title: 'Gone' } } })).toContain(
      'is declared differently in core',
    );
  });

  test.each([
    ['RoomTaken', 409, 'x'],
    ['room-taken', 409, 'x'],
    ['room_taken', 200, 'x'],
    ['room_taken', 409.5, 'x'],
    ['room_taken', 409, ''],
  ])('the code %s with %s %j is refused', (code, status, title) => {
    expect(refusal({ name: 'a', errors: { [code]: { status, title } } })).toContain('the error code');
  });

  test('a tenant begins without settings', () => {
    taken({ name: 'a', settings: { one: f.bool().default(false), two: f.secret().optional() } });
    expect(refusal({ name: 'a', settings: { one: f.text() } })).toContain('must be optional or have a default');
    expect(refusal({ name: 'a', settings: { 'a.b': f.text().optional() } })).toContain('camelCase');
  });

  test('Romanian and English have the same keys', () => {
    taken({ name: 'a', locales: { ro: { x: 'x' }, en: { x: 'x' }, de: {} } });
    const why = refusal({ name: 'a', locales: { ro: { x: '', y: '' }, en: { x: '', z: '' } } });
    expect(why).toContain('the messages z are in en and not in ro');
    expect(why).toContain('the messages y are in ro and not in en');
    expect(
      refusal({ name: 'a', locales: { ro: Object.fromEntries('abcdefg'.split('').map((key) => [key, ''])), en: {} } }),
    ).toContain('and 2 more');
  });

  test('screens and migrations are named once', () => {
    const screen = { key: 'x', kind: 'table', title: { ro: 'X', en: 'X' } } as const;
    expect(refusal({ name: 'a', screens: [screen, screen] })).toContain('two screens');
    const migration = { name: '0001.sql', url: new URL('file:///x') };
    expect(refusal({ name: 'a', migrations: [migration, migration] })).toContain('listed twice');
  });
});

test('what requires a refused plugin is not taken in', () => {
  const registry = registryOf([
    [{ name: 'a', admin: [route('GET', '/x', {}, answer)] }],
    [{ name: 'b', storefront: [shop('/b')] }, 'a'],
    [{ name: 'c', storefront: [shop('/c')] }],
  ]);
  const contributions = collectContributions(registry);
  expect([...registry.failed.keys()]).toEqual(['a']);
  expect(contributions.routes.map((entry) => entry.plugin)).toEqual(['c', 'c']);
});

import {
  authenticator,
  definePlugin,
  f,
  inbound,
  list,
  type Plugin,
  platformRoute,
  provide,
  resource,
  route,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { routeOptions } from '@storeloom/plugin-sdk/router';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { z } from 'zod';

/** The handler of routes that only the document describes. */
const notCalled = (): never => {
  throw new Error('the route is only described');
};

/** Every kind of field, with the modifiers that matter to a schema. */
const everyField = {
  text: f.text({ max: 80 }).filter().sort().search(),
  codeText: f.text({ pattern: /^[A-Z]{2}\d{4}$/, max: 6 }).optional(),
  richText: f.richText().optional(),
  slug: f.slug().unique(),
  email: f.email().optional().filter(),
  phone: f.phone().optional(),
  url: f.url().optional(),
  int: f.int({ min: 1, max: 50 }).default(1).filter().sort(),
  decimal: f.decimal({ min: 0 }).optional().filter(),
  ppm: f.ppm().default(210_000),
  bp: f.bp().optional(),
  money: f.money().filter().sort(),
  price: f.money({ min: 0 }).optional(),
  bool: f.bool().default(false).filter(),
  date: f.date().optional().filter().sort(),
  time: f.time().optional(),
  instant: f.instant().optional().filter().sort(),
  timeZone: f.timeZone().default('Europe/Bucharest'),
  oneOf: f.oneOf(['small', 'large']).default('small').filter(),
  json: f.json().optional(),
  name: f.i18n({ max: 120 }).search(),
  note: f.text().translatable().optional(),
  ownerId: f.id().optional(),
  otherId: f.ref('synthetic.other').optional().filter(),
  tags: f
    .list(f.text({ max: 30 }), { max: 20 })
    .default([])
    .filter(),
  prices: f.list(f.money(), { min: 1, max: 3 }),
  address: f
    .object({
      line: f.text(),
      country: f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ }),
      at: f.instant().optional(),
      key: f.secret().optional(),
    })
    .optional(),
  parts: f.list(f.object({ partId: f.ref('synthetic.other'), quantity: f.int({ min: 1 }).default(1) })).default([]),
  image: f.file().optional(),
  secret: f.secret().optional(),
  cost: f.money().optional().sensitive('synthetic.thing.cost'),
  total: f.money().readonly(),
  count: f.int().readonly().virtual().since('1.2.0'),
  long: f.text({ max: 5000 }).optional().hidden().describe('Left out of lists.'),
} satisfies Shape;

const machine = defineMachine({
  start: 'draft',
  states: ['draft', 'open', 'shipped', 'void'],
  moves: {
    open: { from: ['draft'], to: 'open' },
    ship: {
      from: ['open'],
      to: 'shipped',
      input: { carrier: f.text(), weight: f.int({ min: 1 }).optional() },
      summary: 'Ship the thing',
    },
    void: {
      from: ['draft', 'open'],
      to: 'void',
      route: 'PATCH /{id}/void',
      permission: 'cancel',
      input: { reason: f.text().optional() },
    },
    reopen: { from: ['void'], to: 'open', route: false },
    expire: { from: ['open'], to: 'void', internal: true },
  },
});

const part = resource('part', {
  path: 'things/parts',
  verbs: ['list', 'create'],
  fields: { thingId: f.ref('synthetic.thing'), label: f.i18n(), quantity: f.int({ min: 1 }) },
});
const other = resource('other', {
  path: 'others',
  verbs: ['list', 'get', 'create', 'update', 'replace', 'remove'],
  fields: { code: f.text({ max: 20 }).unique().filter(), parentId: f.ref('synthetic.other').optional() },
  deletes: 'soft',
  additive: ['replace'],
});
const thing = resource('thing', {
  path: 'things',
  verbs: ['list', 'get', 'create', 'update', 'remove'],
  fields: everyField,
  machine,
  children: { parts: { resource: part, parent: 'thingId' } },
});

interface Tree {
  label: string;
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  label: z.string(),
  get children() {
    return z.array(tree);
  },
});

const admin = [
  thing,
  other,
  route(
    'GET',
    '/things/report',
    {
      permission: 'synthetic.thing.read',
      query: {
        from: f.date(),
        to: f.date().optional(),
        kinds: f.list(f.oneOf(['a', 'b'])).optional(),
        limit: f.int({ min: 1, max: 10 }).default(5),
      },
      response: z.object({ rows: z.array(z.object({ day: z.string(), amount: z.int() })), tree }),
      problems: ['report_too_large', 'provider_not_configured', 'code_of_a_plugin_that_is_not_here'],
    },
    notCalled,
  ),
  route(
    'POST',
    '/things/import',
    {
      permission: 'synthetic.thing.import',
      rawBody: 'stream',
      contentTypes: ['text/csv', 'multipart/form-data'],
      maxBytes: 50_000_000,
      status: 202,
      response: { jobId: f.id() },
    },
    notCalled,
  ),
  route('GET', '/things/{id}/label', { permission: 'synthetic.thing.read', produces: 'application/pdf' }, notCalled),
  route(
    'GET',
    '/things/export',
    {
      permission: 'synthetic.thing.read',
      produces: 'text/csv',
      query: list({
        defaultSort: '-createdAt',
        sorts: { createdAt: { column: 't.created_at', type: 'timestamptz' } },
        search: (q) => sql`t.text = ${q}`,
        extra: { columns: f.list(f.text()).optional() },
      }),
    },
    notCalled,
  ),
  route(
    'PUT',
    '/things/{thingId}/parts/{partId}',
    {
      permission: 'synthetic.thing.update',
      body: z.object({ quantity: z.int().min(1), when: z.iso.datetime().optional() }),
      response: z.object({ ok: z.boolean() }),
      deprecated: { since: '1.1.0', sunset: '2027-11-27', replacement: 'PATCH /things/{id}' },
    },
    notCalled,
  ),
  route('DELETE', '/things/{id}/parts/{partId}', { permission: 'synthetic.thing.update' }, () => undefined),
  route(
    'POST',
    '/2fa/verify',
    {
      auth: 'open',
      body: { challenge: f.text(), otp: f.text({ pattern: /^\d{6}$/ }) },
      response: { accessToken: f.text({ max: 4000 }) },
      rateLimit: { points: 5, seconds: 300 },
      idempotent: false,
      problems: ['two_factor_required'],
    },
    notCalled,
  ),
  route('GET', '/things/untyped', { permission: 'synthetic.thing.read' }, notCalled),
];

export const synthetic: Plugin = definePlugin({
  name: 'synthetic',
  admin,
  storefront: [
    route(
      'GET',
      '/things/',
      {
        query: list({
          defaultSort: 'name',
          sorts: { name: { column: 't.name', type: 'text' } },
          filters: { price: { field: f.money(), column: 't.price_amount' } },
          search: (q) => sql`t.name = ${q}`,
        }),
        response: { id: f.id(), name: f.i18n(), note: f.text().translatable().optional(), price: f.money() },
        list: true,
        cache: { tags: ['things'], maxAge: 60 },
      },
      notCalled,
    ),
    route(
      'GET',
      '/things/{slug}',
      { params: { slug: f.slug() }, response: { id: f.id(), name: f.i18n() }, cache: { tags: ['things'], maxAge: 60 } },
      notCalled,
    ),
    route(
      'POST',
      '/cart/items',
      {
        body: { thingId: f.ref('synthetic.thing'), quantity: f.int({ min: 1 }).default(1) },
        response: { total: f.money() },
        rateLimit: [{ points: 30, seconds: 60 }],
        problems: ['insufficient_things'],
      },
      notCalled,
    ),
    route('GET', '/account/things', { auth: 'customer', response: { id: f.id() }, list: true }, notCalled),
  ],
  superAdmin: [
    platformRoute('GET', '/tenants/', { response: { id: f.id(), name: f.text() }, list: true }, notCalled),
    platformRoute(
      'POST',
      '/tenants/',
      { body: { name: f.text(), slug: f.slug() }, status: 201, response: { id: f.id() } },
      notCalled,
    ),
  ],
  auth: [
    route(
      'POST',
      '/login',
      {
        body: { email: f.email(), password: f.secret() },
        response: { accessToken: f.text({ max: 4000 }) },
        rateLimit: { points: 5, seconds: 60 },
        idempotent: false,
      },
      notCalled,
    ),
    route('GET', '/me', { response: { user: f.object({ id: f.id() }) } }, notCalled),
  ],
  system: [
    route('POST', '/api/internal/setup', { body: { name: f.text() }, additive: true }, notCalled),
    route('GET', '/api/csrf-token', { response: { csrfToken: f.text() } }, notCalled),
  ],
  webhooks: {
    'payment-x/{tenantId}': inbound({
      provider: 'payment-x',
      tenant: async () => undefined,
      verify: async () => false,
      eventId: () => '1',
      handle: async () => undefined,
      challenge: async () => ({ status: 200 }),
    }),
  },
  router(r) {
    r.admin.use(async (_koa, next) => next());
    r.admin.post(
      '/things/:id/previews',
      routeOptions({
        permission: 'synthetic.thing.read',
        summary: 'Preview a thing',
        body: { width: f.int({ min: 1 }).default(100) },
        response: { url: f.url() },
        status: 201,
      }),
      (koa) => void (koa.body = {}),
    );
    r.storefront.get('/things/:slug/feed', routeOptions({ params: { slug: f.slug() }, produces: 'text/csv' }), () => undefined);
    r.system.all('/things/any/:id', () => undefined);
  },
  provides: [provide(authenticator, () => ({ authenticate: async () => undefined, checkCsrf: () => false }))],
  stats: { things: async () => ({ metrics: {} }) },
  errors: {
    report_too_large: { status: 409, title: 'The report would be too large' },
    insufficient_things: { status: 409, title: 'There are not enough things' },
  },
  schemas: { 'thing.shipped': { id: f.id(), at: f.instant() } },
});

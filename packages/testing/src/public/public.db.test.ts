import { definePlugin, f, listOf, route } from '@storeloom/plugin-sdk';
import { hashToken } from '@storeloom/plugin-sdk/public';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskShop, makeDesk } from '../../test/desk-shop.ts';
import plugin, { desk } from '../../test/desks/src/index.ts';
import { leakFaults, type TestShop } from '../index.ts';

const path = '/api/storefront/desk-visits/';
type Made = {
  reference: string;
  manageToken: string;
  status: string;
  day: string;
  code?: string;
  errors?: { pointer: string }[];
};

describe('a public post', () => {
  let shop: TestShop;
  let deskId: string;
  beforeAll(async () => {
    shop = await deskShop();
    deskId = await makeDesk(shop);
  });
  afterAll(() => shop?.stop());
  const input = (more: Record<string, unknown> = {}) => ({
    deskId,
    email: 'visitor@visit.example',
    day: '2030-05-01',
    consent: true,
    ...more,
  });
  const post = (body: Record<string, unknown>, headers?: Record<string, string>) => shop.a.guest.post<Made>(path, body, headers);

  it('answers with the view and a token that is stored as its hash', async () => {
    const { status, body, text } = await post(input());
    expect(status).toBe(201);
    expect(body).toEqual({
      reference: expect.any(String),
      day: '2030-05-01',
      place: { room: 'Blue' },
      status: 'booked',
      manageToken: expect.stringMatching(/^[\w-]{32}$/),
    });
    expect(text).not.toContain('visitor@visit.example');
    const rows = await shop.rows<{ manage_token_hash: string }>(
      'select manage_token_hash from desks_visit where reference = $1',
      [body.reference],
    );
    expect(rows).toEqual([{ manage_token_hash: hashToken(body.manageToken) }]);
  });

  it('keeps the consent, with what was made as its subject', async () => {
    const { body } = await post(input({ consentVersion: '2026-11' }));
    const kept = await shop.rows(
      'select purpose, granted, text_version, subject, customer_id, source from customers_consent where subject = $1',
      [body.reference],
    );
    expect(kept).toEqual([
      { purpose: 'visit', granted: true, text_version: '2026-11', subject: body.reference, customer_id: null, source: 'desks' },
    ]);
    const customer = await shop.a.customer();
    expect((await customer.post(path, input())).status).toBe(201);
    // No version in the body: the one that the shop says is in force.
    const own = await shop.rows('select purpose, text_version from customers_consent where customer_id = $1', [
      customer.customerId,
    ]);
    expect(own).toEqual([{ purpose: 'visit', text_version: '1' }]);
  });

  it('without consent makes nothing, and keeps no consent of what is refused', async () => {
    const count = async () =>
      (await shop.rows('select 1 from desks_visit')).length + (await shop.rows('select 1 from customers_consent')).length;
    const before = await count();
    expect((await post(input({ consent: false }))).body).toMatchObject({
      code: 'consent_required',
      errors: [{ pointer: '/consent' }],
    });
    expect((await post(input({ consent: undefined }))).body.code).toBe('validation_failed');
    expect((await post(input({ website: 'https://spam.example' }))).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/website' }],
    });
    expect((await post(input({ deskId: '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02' }))).status).toBe(404);
    expect((await post(input({ total: 1 }))).body.code).toBe('unknown_field');
    expect(await count()).toBe(before);
    expect((await post(input({ website: '' }))).status).toBe(201);
  });

  it('is made once for a key, and the replay is the same answer', async () => {
    const headers = { 'idempotency-key': 'visit-key-1' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(input(), headers)));
    const good = answers.filter(({ status }) => status === 201);
    expect(new Set(good.map(({ body }) => body.manageToken)).size).toBe(1);
    expect(answers.every(({ status, body }) => status === 201 || body.code === 'idempotency_in_flight')).toBe(true);
  });

  it('changes what the token belongs to, in the body or the header', async () => {
    const { manageToken, reference } = (await post(input())).body;
    const moved = await post({ manageToken, action: 'reschedule', day: '2030-06-01' });
    expect([moved.status, moved.body]).toEqual([
      200,
      { reference, day: '2030-06-01', place: { room: 'Blue' }, status: 'booked', manageToken: null },
    ]);
    for (let i = 0; i < 2; i++) {
      const gone = await post({ action: 'cancel' }, { 'x-manage-token': manageToken });
      expect([gone.status, gone.body.status]).toEqual([200, 'cancelled']);
    }
    expect((await post({ manageToken, action: 'reschedule', day: '2030-07-01' })).body.code).toBe('cutoff_passed');
  });

  it('knows no token but the right one of this shop', async () => {
    const { manageToken } = (await post(input())).body;
    const codes = [
      await post({ manageToken: `${manageToken}x`, action: 'cancel' }),
      await post({ action: 'cancel' }),
      await shop.b.guest.post<Made>(path, { manageToken, action: 'cancel' }),
    ].map(({ status, body }) => [status, body.code]);
    expect(codes).toEqual(Array.from({ length: 3 }, () => [404, 'not_found']));
    expect((await post({ manageToken, action: 'delete' })).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/action' }],
    });
    expect((await post({ manageToken, action: 'cancel', deskId })).body.code).toBe('unknown_field');
    expect((await post({ manageToken })).status).toBe(422);
  });

  it('is documented with both of its bodies', async () => {
    const { components } = (await shop.kernel.openapi()) as {
      components: { schemas: Record<string, { anyOf?: { properties: Record<string, object> }[]; examples?: object[] }> };
    };
    const body = Object.values(components.schemas).find(({ anyOf }) => anyOf?.[0]?.properties?.consentVersion);
    expect(Object.keys(body?.anyOf?.[0]?.properties ?? {})).toEqual([
      'deskId',
      'email',
      'day',
      'consent',
      'consentVersion',
      'website',
    ]);
    expect(body?.anyOf?.[1]?.properties).toMatchObject({ manageToken: {}, action: { enum: ['cancel', 'reschedule'] }, day: {} });
    expect(body?.examples).toEqual([expect.objectContaining({ consent: true, deskId: expect.any(String) })]);
  });
});

describe('the leak test', () => {
  const full = async (module = plugin): Promise<TestShop> => {
    const shop = await deskShop({ modules: { desks: module } });
    const id = await makeDesk(shop);
    await shop.a.run('desks', (ctx) =>
      ctx.rows(desk).update(id, { note: 'by the window', cost: { amount: 500, currency: 'RON' } }),
    );
    await shop.a.guest.post(path, { deskId: id, email: 'guest@visit.example', day: '2030-05-01', consent: true });
    return shop;
  };

  it('marks every private field, requests every route, and finds nothing in a tight plugin', async () => {
    const shop = await full();
    try {
      const report = await leakFaults(shop, { plugins: ['desks'] });
      expect(report).toMatchObject({
        marked: ['desks_desk.note', 'desks_desk.cost', 'desks_visit.email', 'desks_visit.place'],
        unmarked: [],
        silent: [],
        faults: [],
      });
      expect(report.requests).toBeGreaterThan(50);
    } finally {
      await shop.stop();
    }
  });

  it('finds a text and an amount that a leaky one shows, and says which field no row fills', async () => {
    const leaky = definePlugin({
      ...plugin,
      storefront: [
        ...(plugin.storefront ?? []),
        route('GET', '/desk-notes/', { response: { note: f.text().optional() }, list: true }, async (ctx) =>
          listOf((await ctx.rows(desk).find({})).map(({ note }) => ({ note }))),
        ),
        route('GET', '/desk-costs/{id}', { response: { cost: f.anyJson().optional() } }, async (ctx, { params }) => ({
          cost: (await ctx.rows(desk).require(params.id as string)).cost?.amount,
        })),
      ],
    });
    const shop = await full(leaky);
    try {
      const { faults } = await leakFaults(shop, { plugins: ['desks'], sentinels: { Desk: 'the name' } });
      expect(faults.some((fault) => fault.includes('/desk-notes') && fault.endsWith('shows desks_desk.note'))).toBe(true);
      expect(faults.some((fault) => fault.includes('/desk-costs/') && fault.endsWith('shows desks_desk.cost'))).toBe(true);
      expect(faults.some((fault) => fault.includes('/desks') && fault.endsWith('shows the name'))).toBe(true);
      await shop.rows('update desks_desk set note = null');
      const again = await leakFaults(shop, { plugins: ['desks'] });
      expect(again.unmarked).toEqual(['desks_desk.note']);
    } finally {
      await shop.stop();
    }
  });

  it('is not even loaded with a private member in the answer of a storefront route', async () => {
    const open = definePlugin({
      ...plugin,
      storefront: [route('GET', '/desks/', { response: desk.fields, list: true }, async () => listOf([]))],
    });
    // A test gets no shop without the plugin that it tests.
    await expect(deskShop({ modules: { desks: open } })).rejects.toThrow(
      /desks is failed: .*answers with the private member note.*contribution_invalid/s,
    );
  });
});

import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addressIn,
  buy,
  FakeVies,
  type Json,
  makeProduct,
  makeRate,
  orderOf,
  romanianRates,
  setTaxes,
  signedIn,
  taxShop,
} from '../../test/tax-shop.ts';

let shop: TestShop;
let register: FakeVies;
let standard: string;
beforeAll(async () => {
  register = await new FakeVies().start();
  shop = await taxShop();
  ({ standard } = await romanianRates(shop.a));
  for (const tenant of [shop.a, shop.b]) await setTaxes(tenant, { viesUrl: register.url });
  const store = { vatId: 'RO 14399840', address: { line1: 'S', city: 'C', postalCode: '400001', country: 'RO' } };
  expect((await shop.a.admin.put('/api/admin/settings/store', store)).status).toBe(200);
});
beforeEach(() => {
  register.calls.length = 0;
  register.answer = (_, res) => register.say(res, { valid: true, userError: 'VALID', requestIdentifier: 'WAPI1', name: 'Firma' });
});
afterAll(async () => {
  await shop?.stop();
  await register?.stop();
});

const day = 24 * 3_600_000;
const validate = (vat: string, tenant = shop.a) =>
  tenant.guest.get<Json>(`/api/storefront/vat/validate?vat=${encodeURIComponent(vat)}`);

describe('checking a VAT number', () => {
  it('asks the register once in 24 hours, and keeps its proof', async () => {
    const first = await validate('de - 113866163');
    expect(first.body).toEqual({
      vat: 'DE113866163',
      country: 'DE',
      formatValid: true,
      status: 'valid',
      checkedAt: '2026-11-27T10:00:00.000Z',
      consultationNumber: 'WAPI1',
      name: 'Firma',
    });
    expect(register.calls).toEqual([
      {
        path: '/rest-api/check-vat-number',
        countryCode: 'DE',
        vatNumber: '113866163',
        requesterMemberStateCode: 'RO',
        requesterNumber: '14399840',
      },
    ]);
    shop.clock.advance(day - 1);
    expect((await validate('DE113866163')).body).toEqual(first.body);
    expect(register.calls).toHaveLength(1);
    shop.clock.advance(1);
    register.answer = (_, res) => register.say(res, { valid: false, userError: 'INVALID' });
    expect((await validate('DE113866163')).body).toMatchObject({
      status: 'invalid',
      formatValid: true,
      name: null,
      consultationNumber: null,
    });
    expect(register.calls).toHaveLength(2);
    const rows = await shop.rows<Json>('select status from taxes_vat_check where tenant_id = $1', [shop.a.id]);
    expect(rows).toEqual([{ status: 'invalid' }]);
    // What one shop knows is nothing of another's.
    await validate('DE113866163', shop.b);
    expect(register.calls).toHaveLength(3);
    expect(register.calls[2]).not.toHaveProperty('requesterNumber');
  });

  it('shares a request between concurrent checks', async () => {
    register.answer = (_, res) => void setTimeout(() => register.say(res, { valid: true }), 100);
    const answers = await Promise.all(Array.from({ length: 15 }, () => validate('DE 231969187')));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(register.calls).toHaveLength(1);
  });

  it('sends no request for an invalid number', async () => {
    for (const vat of ['RO14399841', 'DE1', 'nonsense', '12', 'GR039868210'])
      expect((await validate(vat)).body).toMatchObject({ status: 'invalid', formatValid: false, consultationNumber: null });
    expect((await validate('EU372022452')).body).toMatchObject({ status: 'unavailable', formatValid: true, country: 'EU' });
    expect((await validate('GB980780684')).body.status).toBe('unavailable');
    expect(register.calls).toEqual([]);
    expect((await shop.a.guest.get('/api/storefront/vat/validate')).status).toBe(400);
    expect((await validate('x'.repeat(41))).status).toBe(400);
  });

  it('returns unavailable, never invalid, if VIES fails, and requests again the next time', async () => {
    const failures: FakeVies['answer'][] = [
      (_, res) => register.say(res, '', 500),
      (_, res) => register.say(res, '', 429),
      (_, res) => register.say(res, '<html>'),
      (_, res) => register.say(res, { valid: false, userError: 'MS_UNAVAILABLE' }),
      (_, res) => void res.destroy(),
    ];
    for (const failure of failures) {
      register.answer = failure;
      expect((await validate('EL 039868210')).body).toMatchObject({ status: 'unavailable', formatValid: true, country: 'GR' });
    }
    register.answer = (_, res) => register.say(res, { valid: true });
    expect((await validate('EL 039868210')).body.status).toBe('valid');
    expect(register.calls).toHaveLength(6);
    expect(register.calls[5]).toMatchObject({ countryCode: 'EL', vatNumber: '039868210' });
  });

  it('returns unavailable if the shop has no register', async () => {
    await setTaxes(shop.b, { viesUrl: null });
    expect((await validate('DE 265265318', shop.b)).body).toMatchObject({ status: 'unavailable', formatValid: true });
    expect(register.calls).toEqual([]);
  });
});

describe('the tax on a sale to a place', () => {
  const rate = (body: object, tenant = shop.a) => tenant.guest.post<Json>('/api/storefront/vat/rate', body);

  it('has its period of validity', async () => {
    expect((await rate({ country: 'RO' })).body).toEqual({
      ratePpm: 210_000,
      kind: 'standard',
      validFrom: '2020-01-01',
      validTo: null,
      reverseCharge: false,
      reason: 'domestic',
    });
    expect((await rate({ country: 'RO', category: 'reduced' })).body).toMatchObject({ ratePpm: 110_000, kind: 'reduced' });
    expect((await rate({ country: 'DE' })).body).toMatchObject({ ratePpm: 210_000, reason: 'origin' });
    expect((await rate({ country: 'US' })).body).toMatchObject({ ratePpm: 0, kind: 'zero', reason: 'export', validFrom: null });
    await setTaxes(shop.a, { ossOptIn: true });
    expect((await rate({ country: 'EE', at: '2025-06-30' })).body).toMatchObject({
      ratePpm: 220_000,
      kind: 'standard',
      validFrom: '2024-01-01',
      validTo: '2025-06-30',
      reason: 'destination',
    });
    expect((await rate({ country: 'EE', at: '2025-06-30T21:00:00Z' })).body.ratePpm).toBe(240_000);
    await makeRate(shop.a, standard, 30_000, { country: 'ES', postalCode: '35' });
    expect((await rate({ country: 'ES', postalCode: '35001' })).body.ratePpm).toBe(30_000);
    expect((await rate({ country: 'ES', postalCode: '28001' })).body.ratePpm).toBe(210_000);
    await setTaxes(shop.a, { ossOptIn: false });
  });

  it('is 0 for a foreign business with a valid number', async () => {
    expect((await rate({ country: 'DE', vat: 'DE 265265318' })).body).toMatchObject({
      ratePpm: 0,
      reverseCharge: true,
      reason: 'reverse_charge',
    });
    register.answer = (_, res) => register.say(res, '', 500);
    expect((await rate({ country: 'FR', vat: 'FR 04409414364' })).body).toMatchObject({
      ratePpm: 210_000,
      reverseCharge: false,
      reason: 'vat_check_unavailable',
    });
    expect((await rate({ country: 'FR', vat: 'FR1' })).body).toMatchObject({ reverseCharge: false, reason: 'origin' });
    expect((await rate({ country: 'RO', vat: 'RO 13837330' })).body.reverseCharge).toBe(false);
  });

  it('refuses what it cannot read', async () => {
    for (const wrong of [
      {},
      { country: 'EL' },
      { country: 'Romania' },
      { country: 'RO', at: 'soon' },
      { country: 'RO', at: '2026-01-01T00:00:00' },
      { country: 'RO', x: 1 },
    ])
      expect([wrong, (await rate(wrong)).status]).toEqual([wrong, 422]);
    const unknown = await rate({ country: 'RO', category: 'nope' });
    expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([404, '/category']);
    expect((await rate({ country: 'RO' }, shop.b)).body).toMatchObject({ ratePpm: 0, reason: 'untaxed' });
  });
});

describe('a business in another member state', () => {
  let variantId: string;
  beforeAll(async () => {
    variantId = await makeProduct(shop.a, 12_100, { taxCategoryId: standard });
  });
  const order = async (vatId: string, more: Record<string, unknown> = {}) => {
    const billingAddress = addressIn('DE', { company: 'Firma GmbH', vatId });
    const placed = await buy(shop.a, [[variantId, 1]], 'DE', 12_100, {
      billingAddress,
      shippingAddress: addressIn('DE'),
      ...more,
    });
    expect([placed.status, placed.body.code]).toEqual([201, undefined]);
    const [stored] = await shop.rows<Json>(`select pricing from orders_revision where order_id = $1`, [placed.body.order.id]);
    const { warnings } = placed.body;
    return { ...(await orderOf(shop.a, placed.body.order.id)), pricing: stored.pricing, warnings };
  };

  it('pays no tax when the number was checked, and the order keeps the proof', async () => {
    await validate('DE 129273398');
    const bought = await order('DE 129273398');
    expect(bought.taxSummary).toMatchObject([{ ratePpm: 0, categoryCode: 'K', base: { amount: 12_100 }, tax: { amount: 0 } }]);
    expect(bought.pricing).toMatchObject({ treatment: 'reverse_charge', taxReason: 'reverse_charge', countsForOss: false });
    expect(bought.pricing.context.vat).toEqual({
      number: 'DE129273398',
      status: 'valid',
      checkedAt: shop.clock.now(),
      consultationNumber: 'WAPI1',
    });
    expect((await shop.rows('select 1 from taxes_oss_entry where order_id = $1', [bought.id])).length).toBe(0);
  });

  it('pays no tax with a number that the register confirms while the order is placed', async () => {
    const first = await order('DE 136695976');
    expect(register.calls.map((call) => call.vatNumber)).toEqual(['136695976']);
    expect(first.pricing).toMatchObject({
      treatment: 'reverse_charge',
      countsForOss: false,
      context: { vat: { status: 'valid', consultationNumber: 'WAPI1' } },
    });
    expect((await shop.rows('select 1 from taxes_oss_entry where order_id = $1', [first.id])).length).toBe(0);
    expect(first.warnings).toEqual([]);
    // The proof is stored, so the next order doesn't ask.
    expect((await order('DE 136695976')).pricing.treatment).toBe('reverse_charge');
    expect(register.calls).toHaveLength(1);
    // A number that the register denies is taxed, which needs no warning.
    register.answer = (_, res) => register.say(res, { valid: false, userError: 'INVALID' });
    const denied = await order('DE 266182271');
    expect([denied.pricing.treatment, denied.pricing.countsForOss, denied.warnings]).toEqual(['origin', true, []]);
  });

  it('is taxed by the VAT number of the changed address', async () => {
    const bought = await order('DE 129273398');
    expect(bought.pricing.treatment).toBe('reverse_charge');
    const change = async (vatId: string | null): Promise<Json> => {
      const billingAddress = addressIn('DE', { company: 'Firma GmbH', vatId });
      const { status, text } = await shop.a.admin.patch(`/api/admin/orders/${bought.id}/address`, { billingAddress });
      expect(status, text).toBe(200);
      const [stored] = await shop.rows<Json>('select pricing from orders_revision where order_id = $1 order by revision desc', [
        bought.id,
      ]);
      return stored.pricing;
    };
    const consumer = await change(null);
    expect([consumer.treatment, consumer.context.vat]).toEqual(['origin', undefined]);
    expect((await orderOf(shop.a, bought.id)).taxSummary).toMatchObject([{ ratePpm: 210_000 }]);
    await validate('DE 129273398');
    const business = await change('DE 129273398');
    expect([business.treatment, business.context.vat]).toMatchObject([
      'reverse_charge',
      { number: 'DE129273398', status: 'valid', consultationNumber: 'WAPI1' },
    ]);
    // Later corrections of the address keep the proof.
    shop.clock.advance(2 * day);
    const { admin } = await signedIn(shop.a);
    const { status, text } = await admin.patch(`/api/admin/orders/${bought.id}/address`, {
      shippingAddress: { ...addressIn('DE'), postalCode: '10117' },
    });
    expect(status, text).toBe(200);
    shop.clock.advance(-2 * day);
    expect((await orderOf(shop.a, bought.id)).taxSummary).toMatchObject([{ ratePpm: 0, categoryCode: 'K' }]);
  });

  it('pays as a consumer if the register does not respond in time, with a warning', async () => {
    for (const failure of [(_: Json, res: Parameters<FakeVies['answer']>[1]) => register.say(res, '', 500), () => undefined]) {
      register.answer = failure;
      const started = performance.now();
      const vatId = failure.length === 0 ? 'DE 143593603' : 'DE 115235681';
      const taxed = await order(vatId);
      expect(performance.now() - started).toBeLessThan(8000);
      expect(taxed.taxSummary).toMatchObject([{ ratePpm: 210_000, categoryCode: 'S' }]);
      expect(taxed.pricing).toMatchObject({
        treatment: 'origin',
        taxReason: 'vat_check_unavailable',
        countsForOss: true,
        context: { vat: { status: 'unavailable' } },
      });
      expect(taxed.status).toBe('confirmed');
      expect(taxed.warnings).toEqual([{ code: 'vat_check_unavailable', message: expect.stringContaining('VAT'), pointer: null }]);
      expect((await shop.rows('select 1 from taxes_oss_entry where order_id = $1', [taxed.id])).length).toBeGreaterThan(0);
      // The register answers again: the next order isn't taxed.
      register.answer = (_, res) => register.say(res, { valid: true, userError: 'VALID' });
      expect((await order(vatId)).pricing.treatment).toBe('reverse_charge');
    }
  }, 60_000);

  it('puts the order on hold if the shop chose that', async () => {
    await setTaxes(shop.a, { taxWhenVatCheckUnavailable: 'hold' });
    register.answer = (_, res) => register.say(res, '', 500);
    const held = await order('DE 811907980');
    expect(held).toMatchObject({ status: 'on_hold', taxSummary: [{ ratePpm: 210_000 }] });
    // An invalid number puts no order on hold.
    expect((await order('DE 811907981')).status).toBe('confirmed');
    await setTaxes(shop.a, { taxWhenVatCheckUnavailable: 'charge' });
  });

  it('is not trusted after a day, nor with a number of home', async () => {
    await validate('DE 129273398');
    shop.clock.advance(day + 1);
    register.answer = (_, res) => register.say(res, '', 500);
    expect((await order('DE 129273398')).pricing.treatment).toBe('origin');
    register.answer = (_, res) => register.say(res, { valid: true, userError: 'VALID' });
    await shop.settled();
    await validate('RO 13837330');
    expect((await order('RO 13837330')).pricing.treatment).toBe('origin');
  });
});

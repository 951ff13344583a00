import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, promote, promotionsPath } from '../../test/store.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'promotions'] });
});
afterAll(() => shop?.stop());

const percentage = { name: 'P', type: 'percentage', value: { percentBp: 1000 } };

describe('codes', () => {
  it("are unique among promotions that aren't archived, without case and surrounding spaces", async () => {
    const first = await promote(shop.a, { code: 'Unique' });
    const duplicate = async (more: object) => {
      const response = await shop.a.admin.post<Json>(promotionsPath, { ...percentage, ...more });
      return [response.status, response.body.code, response.body.field];
    };
    expect(await duplicate({ code: ' uNIQUE ' })).toEqual([409, 'duplicate', 'code']);
    expect(await duplicate({ codes: ['other', 'unique'] })).toEqual([409, 'duplicate', 'codes']);
    await promote(shop.b, { code: 'unique' });
    await promote(shop.a, { codes: ['Single-1'] });
    expect(await duplicate({ code: 'single-1' })).toEqual([409, 'duplicate', 'code']);
    expect((await shop.a.admin.patch<Json>(`${promotionsPath}${first.id}`, { archived: true })).body.status).toBe('archived');
    const second = await promote(shop.a, { code: 'UNIQUE' });
    const back = await shop.a.admin.patch<Json>(`${promotionsPath}${first.id}`, { archived: false });
    expect([back.status, back.body.code, back.body.field]).toEqual([409, 'duplicate', 'code']);
    await shop.a.admin.patch(`${promotionsPath}${second.id}`, { code: 'else' });
    expect((await shop.a.admin.patch<Json>(`${promotionsPath}${first.id}`, { archived: false })).status).toBe(200);
  });

  it('exist once after concurrent creation', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => shop.a.admin.post<Json>(promotionsPath, { ...percentage, code: 'RACE' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it('for single use can be thousands, are replaced as a list, and are listed by id', async () => {
    const codes = Array.from({ length: 10_000 }, (_, i) => `BULK-${i}`);
    const created = await promote(shop.a, { codes });
    expect([created.codesTotal, created.codesUsed, created.codes.length]).toEqual([10_000, 0, 10_000]);
    const listed = (await shop.a.admin.get<Json>(`${promotionsPath}?limit=100`)).body.data.find(
      (one: Json) => one.id === created.id,
    );
    expect([listed.codes, listed.codesTotal]).toEqual([null, 10_000]);
    const change = await shop.a.admin.patch<Json>(`${promotionsPath}${created.id}`, { codes: ['BULK-1', 'New-1'] });
    expect([change.status, change.body.codes]).toEqual([200, ['BULK-1', 'New-1']]);
    expect((await shop.a.admin.patch<Json>(`${promotionsPath}${created.id}`, { codes: null })).body).toMatchObject({
      codes: null,
      codesTotal: 0,
    });
    expect((await shop.a.admin.delete(`${promotionsPath}${created.id}`)).status).toBe(204);
    expect((await promote(shop.a, { code: 'bulk-1' })).code).toBe('bulk-1');
    const found = await promote(shop.a, { codes: ['Find-Me'] });
    expect((await shop.a.admin.get<Json>(`${promotionsPath}?code=find-me`)).body.data.map((one: Json) => one.id)).toEqual([
      found.id,
    ]);
  });
});

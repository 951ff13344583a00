import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestShop } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addArea, ask, change, find, type Json, must, reserved, restaurantShop, setUp } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop();
});
afterAll(() => shop?.stop());

/** Every mail that went out to an address, with the calendar file in it. */
function sentTo(email: string): string[] {
  const dir = join(shop.prepared.dataDir.path, 'mail');
  return readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), 'utf8'))
    .filter((text) => text.includes(`To: ${email}`))
    .map((text) => {
      const files = [...text.matchAll(/Content-Transfer-Encoding: base64\r\n(?:[\w-]+:.*\r\n)*\r\n([\w+/=\r\n]+)/g)];
      return `${text}\n${files.map(([, content]) => Buffer.from(content as string, 'base64').toString('utf8')).join('\n')}`;
    });
}
const uidOf = (text: string): string | undefined => /^UID:(.*)$/m.exec(text)?.[1];

it('tells of every change once, with one entry for the calendar that follows it', async () => {
  const { area } = await addArea(shop.a, [2]);
  const email = 'mails@example.org';
  const row = await reserved(shop.a, { area, email, startsAt: '2026-05-10T16:00:00.000Z' });
  await shop.settled();
  await must(change(shop.a, row.id, { startsAt: '2026-05-10T17:00:00.000Z' }), 200);
  await must(change(shop.a, row.id, { notes: 'Window' }), 200);
  await shop.settled();
  await must(change(shop.a, row.id, { status: 'cancelled' }), 200);
  await shop.settled();
  const mails = (await shop.mails()).filter(({ to }) => to === email).map(({ template }) => template);
  expect(mails).toEqual(['restaurant.confirmed', 'restaurant.changed', 'restaurant.cancelled']);
  const texts = sentTo(email);
  expect(texts).toHaveLength(3);
  const of = (sequence: number) => texts.find((text) => text.includes(`SEQUENCE:${sequence}\r\n`)) ?? '';
  expect(of(0)).toContain('DTSTART:20260510T160000Z');
  expect(of(1)).toContain('DTSTART:20260510T170000Z');
  expect(of(1)).toContain('METHOD:REQUEST');
  expect(of(2)).toContain('METHOD:CANCEL');
  expect(new Set([of(0), of(1), of(2)].map(uidOf)).size).toBe(1);
  expect(uidOf(of(0))).toContain(row.id);
});

it('says of a request that it has come, and that it is declined', async () => {
  await setUp(shop.a, { autoConfirm: false });
  const { area } = await addArea(shop.a, [2]);
  const email = 'asked@example.org';
  const asked = await must(ask(shop.a.guest, { area, email }), 201);
  await shop.settled();
  const [pending] = (await find(shop.a, `reference=${asked.reference}`)) as [Json];
  await must(change(shop.a, pending.id, { status: 'declined' }), 200);
  await shop.settled();
  const mails = (await shop.mails()).filter(({ to }) => to === email).map(({ template }) => template);
  expect(mails).toEqual(['restaurant.received', 'restaurant.declined']);
  // The token is shown once, in the answer.
  expect(sentTo(email).join('')).not.toContain(asked.manageToken);
});

import { f } from '@storeloom/plugin-sdk';
import { expect, test } from 'vitest';
import { publicView } from './view.ts';

const fields = {
  name: f.i18n(),
  price: f.money().optional(),
  phone: f.phone().private(),
  cost: f.money().sensitive('x.y.cost'),
  key: f.secret().optional(),
  venue: f.object({
    city: f.text(),
    onlineUrl: f.url().private(),
    halls: f.list(f.object({ name: f.i18n(), pin: f.text().private() })),
  }),
};
const ctx = { locale: 'en', tenant: { defaultLocale: 'ro' } } as Parameters<ReturnType<typeof publicView>['of']>[0];

test('shows only the given fields, in the language of the caller', () => {
  const view = publicView(fields, ['id', 'name', 'price', 'venue'], { free: f.bool() });
  const row = {
    id: '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02',
    name: { ro: 'Sală', en: 'Hall' },
    price: null,
    phone: '+40 700 000 000',
    cost: { amount: 1, currency: 'RON' },
    venue: { city: 'Cluj', onlineUrl: 'https://secret.example', halls: [{ name: { ro: 'Mare' }, pin: '1234' }] },
  };
  const shown = view.of(ctx, row as never, { free: true });
  expect(shown).toEqual({
    id: row.id,
    name: 'Hall',
    price: null,
    venue: { city: 'Cluj', halls: [{ name: 'Mare' }] },
    free: true,
  });
  const name: string = shown.name;
  expect(name).toBe('Hall');
  expect(Object.keys(view.shape)).toEqual(['id', 'name', 'price', 'venue', 'free']);
  expect(Object.keys(view.shape.venue?.spec.shape ?? {})).toEqual(['city', 'halls']);
});

test('has every property, null if the row has none', () => {
  expect(publicView(fields, ['price'], { note: f.text().optional() }).of(ctx, {}, { note: null })).toEqual({
    price: null,
    note: null,
  });
});

test.each(['phone', 'cost', 'key'] as const)('rejects the private field %s', (member) => {
  expect(() => publicView(fields, [member])).toThrow(`the field ${member} is private`);
});
test('rejects an unknown field', () => {
  expect(() => publicView(fields, ['nmae' as 'name'])).toThrow('the resource has no field nmae');
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { coverSlots, seatings } from './holds.ts';

it('the migration makes what the code counts on', () => {
  const text = readFileSync(new URL('../migrations/0001_restaurant.sql', import.meta.url), 'utf8');
  expect(text).toContain(seatings.migration);
  expect(text).toContain(coverSlots.migration);
});

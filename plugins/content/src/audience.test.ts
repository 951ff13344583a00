import { expect, it } from 'vitest';
import { type Audience, fits, type Viewer } from './audience.ts';

const guest: Viewer = { customer: false };
const customer: Viewer = { customer: true, groupIds: [] };
const member: Viewer = { customer: true, groupIds: ['a', 'b'] };
const of = (who: Audience['who'], ...groupIds: string[]): Audience => ({ who, groupIds });

it.each([
  [null, [true, true, true]],
  [of('all'), [true, true, true]],
  [of('guests'), [true, false, false]],
  [of('customers'), [false, true, true]],
  [of('all', 'b', 'c'), [false, false, true]],
  [of('customers', 'b'), [false, false, true]],
  [of('customers', 'c'), [false, false, false]],
  // No viewer is both.
  [of('guests', 'a'), [false, false, false]],
] as const)('%j is seen by guest, customer, member: %j', (audience, seen) => {
  expect([guest, customer, member].map((viewer) => fits(audience as Audience | null, viewer))).toEqual(seen);
});

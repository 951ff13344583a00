import { expect, it } from 'vitest';
import { vatRoutes } from './storefront.ts';

it('limits VAT requests to ten a minute and visitor', () => {
  expect(vatRoutes.map(({ method, path, options }) => [method, path, options.rateLimit])).toEqual([
    ['GET', '/vat/validate', { points: 10, seconds: 60, by: 'actor' }],
    ['POST', '/vat/rate', { points: 10, seconds: 60, by: 'actor' }],
  ]);
});

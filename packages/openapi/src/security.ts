import { type Audience, cartCookieName, sessionCookieNames } from '@storeloom/plugin-sdk';
import type { DocumentedRoute } from './route.ts';

export type SecurityRequirement = Record<string, string[]>;

const sessionCookie = (audience: Audience, account: string): Record<string, unknown> => ({
  type: 'apiKey',
  in: 'cookie',
  name: sessionCookieNames[audience],
  description: `The refresh token of ${account}, HttpOnly. Writes also need the CSRF token.`,
});

/** Who may call: one entry a credential. */
export const securitySchemes: Readonly<Record<string, Record<string, unknown>>> = {
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of a member of staff, audience `admin`.',
  },
  customerToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of a customer, audience `storefront`.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of an operator, audience `super-admin`.',
  },
  cartToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Cart-Token',
    description: 'The token of a guest’s cart. Wins over the cookie.',
  },
  cartCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: cartCookieName,
    description: 'The same as a cookie. Writes need the CSRF token too.',
  },
  orderToken: { type: 'apiKey', in: 'header', name: 'X-Order-Token', description: 'The token of one order.' },
  orderTokenInQuery: { type: 'apiKey', in: 'query', name: 'token', description: 'The same in an address, as in a mail.' },
  manageToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Manage-Token',
    description: 'The token of one booking or ticket; also `manageToken` in the body.',
  },
  customerCookie: sessionCookie('storefront', 'a customer'),
  adminCookie: sessionCookie('admin', 'a member of staff'),
  operatorCookie: sessionCookie('super-admin', 'an operator'),
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'From `GET /api/csrf-token`; only beside a cookie.',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
    description: 'The provider’s signature over the raw body, in the header that the provider names.',
  },
  setupToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Setup-Token',
    description: 'Printed on the server’s console when it starts for the first time.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The token of `METRICS_TOKEN`, where one is set.' },
};

const open: SecurityRequirement = {};
const of = (...names: string[]): SecurityRequirement => Object.fromEntries(names.map((name) => [name, []]));

/** What a caller shows to a route; each entry of the list is enough. */
export function securityOf({ route, family, path }: DocumentedRoute): SecurityRequirement[] {
  const writes = route.method !== 'GET';
  switch (family) {
    case 'admin':
      return route.options.auth === 'open' ? [open, of('adminToken')] : [of('adminToken')];
    case 'super-admin':
      return [of('operatorToken')];
    case 'storefront':
      if (route.options.auth === 'customer') return [of('customerToken')];
      return [
        open,
        of('customerToken'),
        of('cartToken'),
        writes ? of('cartCookie', 'csrfToken') : of('cartCookie'),
        of('orderToken'),
        of('orderTokenInQuery'),
        of('manageToken'),
      ];
    case 'auth':
      return [
        open,
        of('adminToken'),
        of('customerToken'),
        of('operatorToken'),
        ...['customerCookie', 'adminCookie', 'operatorCookie'].map((name) => (writes ? of(name, 'csrfToken') : of(name))),
      ];
    case 'webhooks':
      return [of('webhookSignature')];
    case 'system':
      return path.startsWith('/api/internal/setup') ? [of('setupToken')] : [open, of('customerToken'), of('adminToken')];
    case 'core':
      return path === '/metrics' ? [open, of('metricsToken')] : [open];
  }
}

import type { IncomingMessage } from 'node:http';
import { type Actor, Problem, type Tenant } from '@storeloom/plugin-sdk';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { Exchange } from './exchange.ts';

/** The authenticated caller and the tenant of the request. */
export interface Caller {
  entry: TenantEntry | undefined;
  hostTenant: Tenant | null;
  actor: Actor;
  tokens: { cart?: string; order?: string; manage?: string };
  /** True if the credentials came in a cookie: writes need the CSRF token. */
  byCookie: boolean;
}

const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const guest: Actor = Object.freeze({ type: 'guest' });

function bearerOf(req: IncomingMessage): string | undefined {
  const header = req.headers.authorization;
  if (header === undefined) return undefined;
  const match = /^Bearer +(\S+)$/i.exec(header.trim());
  if (!match || !jwt.test(match[1] as string)) throw unauthenticated();
  return match[1];
}
function unauthenticated(detail = 'A valid bearer token is required.'): Problem {
  return new Problem('unauthenticated', { detail });
}

const allowed = new WeakMap<readonly string[], (permission: string) => boolean>();
/** Compiles permissions and wildcards (`catalog.product.read`, `catalog.*`, `*`) to a check; cached by array. */
function permissionCheck(permissions: readonly string[]): (permission: string) => boolean {
  let check = allowed.get(permissions);
  if (!check) {
    const exact = new Set(permissions.filter((p) => !p.endsWith('*')));
    const prefixes = permissions.filter((p) => p.endsWith('*')).map((p) => p.slice(0, -1));
    check = (permission) => exact.has(permission) || prefixes.some((prefix) => permission.startsWith(prefix));
    allowed.set(permissions, check);
  }
  return check;
}

/** Authenticates the caller by the rules of the route's family. Removes `?token=` of a storefront route from the query unless the route declares it. */
export async function callerOf(
  { host, koa: { req }, route, query, requestHost }: Exchange,
  cookies: Record<string, string>,
): Promise<Caller> {
  const authenticator = host.authenticator();
  switch (route.family) {
    case 'admin': {
      let token = bearerOf(req);
      let byCookie = false;
      if (token === undefined && authenticator?.tokenOfCookie) {
        token = authenticator.tokenOfCookie(cookies, 'admin');
        byCookie = token !== undefined;
      }
      if (token === undefined && route.route.options.auth === 'open')
        return { entry: undefined, hostTenant: null, actor: guest, tokens: {}, byCookie: false };
      const found = token === undefined ? undefined : await authenticator?.authenticate(token, 'admin');
      if (found?.actor.type !== 'staff' || found.tenantId === null) throw unauthenticated();
      const entry = await host.tenants.get(found.tenantId);
      if (!entry) throw unauthenticated();
      const { actor } = found;
      return {
        entry,
        hostTenant: null,
        actor: {
          type: 'staff',
          userId: actor.userId,
          can: permissionCheck(actor.permissions),
          ...(actor.authAt ? { authAt: actor.authAt } : {}),
        },
        tokens: {},
        byCookie,
      };
    }
    case 'super-admin': {
      let token = bearerOf(req);
      let byCookie = false;
      if (token === undefined && authenticator?.tokenOfCookie) {
        token = authenticator.tokenOfCookie(cookies, 'super-admin');
        byCookie = token !== undefined;
      }
      const found = token === undefined ? undefined : await authenticator?.authenticate(token, 'super-admin');
      if (found?.actor.type !== 'operator') {
        if (token !== undefined && (await authenticator?.authenticate(token, 'admin')))
          throw new Problem('forbidden', { detail: 'A tenant token is not valid for super-admin routes.' });
        throw unauthenticated();
      }
      return { entry: undefined, hostTenant: null, actor: found.actor, tokens: {}, byCookie };
    }
    case 'storefront': {
      const entry = requestHost === undefined ? undefined : await host.tenants.byHost(requestHost);
      if (!entry) throw new Problem('tenant_not_found', { detail: `No shop has the host ${requestHost ?? 'of this request'}.` });
      let token = bearerOf(req);
      let byCookie = false;
      if (token === undefined && authenticator?.tokenOfCookie) {
        token = authenticator.tokenOfCookie(cookies, 'storefront');
        byCookie = token !== undefined;
      }
      let actor: Actor = guest;
      if (token !== undefined) {
        const found = await authenticator?.authenticate(token, 'storefront');
        if (found?.actor.type !== 'customer' || found.tenantId !== entry.tenant.id) throw unauthenticated();
        actor = found.actor;
      }
      const tokens: Caller['tokens'] = {};
      const header = (name: string): string | undefined => {
        const value = req.headers[name];
        return typeof value === 'string' && value.length > 0 && value.length <= 200 ? value : undefined;
      };
      const cartHeader = header('x-cart-token');
      const cart = cartHeader ?? cookies.cart;
      if (cart !== undefined) tokens.cart = cart;
      if (cart !== undefined && cartHeader === undefined && token === undefined) byCookie = true;
      const declared = route.route.options.query as Record<string, unknown> | undefined;
      const inQuery = query.get('token');
      if (inQuery !== null && !(declared && 'token' in declared)) query.delete('token');
      const order = header('x-order-token') ?? (inQuery !== null && inQuery.length <= 200 ? inQuery : undefined);
      if (order !== undefined) tokens.order = order;
      const manage = header('x-manage-token');
      if (manage !== undefined) tokens.manage = manage;
      if (route.route.options.auth === 'customer' && actor.type !== 'customer') throw unauthenticated('Sign in as a customer.');
      return { entry, hostTenant: entry.tenant, actor, tokens, byCookie };
    }
    case 'auth':
    case 'system': {
      const entry = requestHost === undefined ? undefined : await host.tenants.byHost(requestHost);
      return {
        entry: undefined,
        hostTenant: entry?.tenant ?? null,
        actor: guest,
        tokens: cookies.cart === undefined ? {} : { cart: cookies.cart },
        byCookie: false,
      };
    }
    case 'webhooks':
    case 'core':
      return { entry: undefined, hostTenant: null, actor: guest, tokens: {}, byCookie: false };
  }
}

import type { DocumentedRoute } from './route.ts';

/** Words of a path or name: `/gift-cards/{id}/re-send` → `gift cards id re send`. */
function words(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
}
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `gift-cards.card` → `GiftCardsCard`. */
export function pascal(text: string): string {
  return words(text).map(capital).join('');
}

const mirror = '/api/v1';

/** Segments after the family's prefix. */
function ownSegments(route: DocumentedRoute): string[] {
  const { path, family } = route;
  const whole = path.startsWith(`${mirror}/`) ? `/api${path.slice(mirror.length)}` : path;
  const prefix = `/api/${family}`;
  const own = whole === prefix || whole.startsWith(`${prefix}/`) ? whole.slice(prefix.length) : whole;
  return own.split('/').filter(Boolean);
}

/** `POST /api/admin/orders/{id}/ship` → `adminPostOrdersByIdShip`; of the versioned mirror: `v1StorefrontGet…`. */
export function operationId(route: DocumentedRoute): string {
  const family = pascal(route.family);
  const lead = route.path.startsWith(`${mirror}/`) ? `v1${family}` : family.charAt(0).toLowerCase() + family.slice(1);
  const own = ownSegments(route).map((segment) => (segment.startsWith('{') ? `By${pascal(segment)}` : pascal(segment)));
  return lead + capital(route.route.method.toLowerCase()) + (own.length > 0 ? own.join('') : 'Root');
}

/** The group of a route: its first segment, `orders`. */
export function groupOf(route: DocumentedRoute): string {
  const segments = ownSegments(route);
  const first = segments.find((segment) => !segment.startsWith('{') && segment !== 'api') ?? 'core';
  return route.family === 'core' ? 'core' : route.family === 'auth' || route.family === 'webhooks' ? route.family : first;
}

/** A title of the operation where the plugin gives none. */
export function summaryOf(route: DocumentedRoute): string {
  const { method, options } = route.route;
  if (options.summary) return options.summary;
  const segments = ownSegments(route);
  const last = segments.at(-1) ?? '';
  const things = segments.filter((segment) => !segment.startsWith('{')).map((segment) => words(segment).join(' ').toLowerCase());
  const thing = things.at(-1) ?? 'root';
  const one = last.startsWith('{');
  const of = things.length > 1 ? ` of ${things.slice(0, -1).join(', ')}` : '';
  if (method === 'GET')
    return one ? `Read one of ${things.join(', ')}` : options.list ? `List ${thing}${of}` : `Read ${thing}${of}`;
  if (method === 'DELETE') return `Delete ${one ? 'one of ' : ''}${things.join(', ')}`;
  if (method === 'PATCH' || method === 'PUT')
    return `${method === 'PUT' ? 'Replace' : 'Change'} ${one ? 'one of ' : ''}${things.join(', ')}`;
  // A POST below one thing is an action on it; elsewhere it makes one.
  return segments.some((segment) => segment.startsWith('{')) && options.status !== 201
    ? `${capital(thing)}${of}`
    : `Create one of ${things.join(', ')}`;
}

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
  const isOne = last.startsWith('{');
  const one = nounOf(options.entity, thing);
  if (method === 'GET') return isOne ? `Read ${one}` : `${options.list ? 'List' : 'Read'} ${thing}`;
  if (method === 'DELETE') return `Delete ${isOne ? one : thing}`;
  if (method === 'PATCH' || method === 'PUT') return `${method === 'PUT' ? 'Replace' : 'Change'} ${isOne ? one : thing}`;
  // A POST below a row is an action on it; elsewhere it creates one.
  return segments.some((segment) => segment.startsWith('{')) && options.status !== 201
    ? `${capital(thing)}${things.length > 1 ? ` of ${things.slice(0, -1).join(', ')}` : ''}`
    : `Create ${one}`;
}

/** `a ticket type` of the segment `ticket-types`; of a segment without a plural, the noun of the entity that it names. */
function nounOf(entity: string | undefined, thing: string): string {
  const own = words(entity?.split('.')[1] ?? '')
    .join(' ')
    .toLowerCase();
  const begins = (word: string): string => word.slice(0, 3);
  const isNamed =
    own !== thing && own.split(' ').some((word) => thing.split(' ').some((other) => begins(word) === begins(other)));
  const noun = thing.endsWith('s') ? singular(thing) : isNamed ? own : `entry of ${thing}`;
  return `${/^([aeio]|u(?!s))/.test(noun) ? 'an' : 'a'} ${noun}`;
}
const singular = (text: string): string =>
  text
    .replace(/ies$/, 'y')
    .replace(/(?<=x|ss|ch)es$/, '')
    .replace(/s$/, '');

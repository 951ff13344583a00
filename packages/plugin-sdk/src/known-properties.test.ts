import { describe, expect, test } from 'vitest';
import { f } from './field.ts';
import { definePlugin } from './plugin.ts';
import { resource } from './resource.ts';
import { platformRoute, route } from './route.ts';
import { table } from './table.ts';

const handler = () => undefined as never;
/** What plain JavaScript can pass. */
const untyped = (value: object): never => value as never;

describe('a misspelt property is refused, with the nearest name', () => {
  test.each<[string, () => unknown, string]>([
    [
      'of definePlugin',
      () => definePlugin(untyped({ name: 'x', storefrnt: [] })),
      'definePlugin of x has the unknown property storefrnt. Did you mean storefront?',
    ],
    ['in another case', () => definePlugin(untyped({ name: 'x', superadmin: [] })), 'Did you mean superAdmin?'],
    [
      'of events',
      () => definePlugin(untyped({ name: 'x', events: { emit: [] } })),
      'definePlugin of x, events has the unknown property emit. Did you mean emits?',
    ],
    [
      'of a table',
      () => table('night', {}, untyped({ appendonly: true })),
      'table night has the unknown property appendonly. Did you mean appendOnly?',
    ],
    [
      'of a resource',
      () => resource('room', untyped({ path: 'rooms', verb: [], fields: { name: f.text() } })),
      'resource room has the unknown property verb. Did you mean verbs?',
    ],
    [
      'of a route',
      () => route('GET', '/rooms', untyped({ permision: 'x.y.read' }), handler),
      'route GET /rooms has the unknown property permision. Did you mean permission?',
    ],
    [
      'of a platform route',
      () => platformRoute('GET', '/x', untyped({ transactions: 'none' }), handler),
      'Did you mean transaction?',
    ],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(message);
  });

  test('a name that resembles none is refused with the known ones', () => {
    expect(() => table('night', {}, untyped({ partitionedBy: 'day' }))).toThrow(
      'has the unknown property partitionedBy. Known are indexes, uniques, checks, sqlOnly, softDelete, appendOnly.',
    );
  });
});

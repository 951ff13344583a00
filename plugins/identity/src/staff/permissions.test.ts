import { describe, expect, it } from 'vitest';
import { covers, expand, grantPattern, isKnown, systemGrants, unionOf } from './permissions.ts';

const declared = [
  ['catalog', 'catalog.product.read'],
  ['catalog', 'catalog.product.delete'],
  ['orders', 'orders.order.read'],
  ['orders', 'orders.order.ship'],
  ['orders', 'orders.order.refund'],
  ['webhooks', 'webhooks.endpoint.create'],
  ['workspace', 'workspace.setting.read'],
  ['workspace', 'workspace.setting.update'],
  ['workspace', 'workspace.notification.update'],
  ['platform', 'platform.plugin.read'],
  ['platform', 'platform.plugin.update'],
  ['identity', 'identity.role.read'],
  ['identity', 'identity.role.create'],
  ['identity', 'identity.self.use'],
].map(([plugin, name]) => ({ plugin: plugin as string, name: name as string }));

describe('covers', () => {
  it.each([
    [['*'], 'catalog.product.read', true],
    [['*'], '*', true],
    [['catalog.*'], 'catalog.product.read', true],
    [['catalog.*'], 'catalog.*', true],
    [['catalog.*'], 'catalog.product.*', true],
    [['catalog.product.*'], 'catalog.*', false],
    [['catalog.*'], '*', false],
    [['catalog.*'], 'catalogue.product.read', false],
    [['catalog.product.read'], 'catalog.product.*', false],
    [[], 'catalog.product.read', false],
  ])('%j covers %s: %s', (granted, wanted, expected) => {
    expect(covers(granted as string[], wanted)).toBe(expected);
  });
  it('never counts the sum of names for a wildcard, which also gives what comes later', () => {
    expect(covers(['catalog.product.read', 'catalog.product.delete'], 'catalog.*')).toBe(false);
  });
});

describe('grants', () => {
  it.each(['*', 'catalog.*', 'catalog.product.*', 'catalog.product.read', 'gift-cards.card.mark-paid'])('%s is one', (grant) => {
    expect(grantPattern.test(grant)).toBe(true);
  });
  it.each(['', 'catalog', 'catalog*', '*.read', 'catalog.product', 'a.b.c.d', 'Catalog.product.read', 'catalog..*', '**'])(
    '%s is none',
    (grant) => {
      expect(grantPattern.test(grant)).toBe(false);
      expect(isKnown(grant, declared)).toBe(false);
    },
  );
  it('a wildcard that nothing answers is unknown', () => {
    expect(isKnown('hotel.*', declared)).toBe(false);
    expect(isKnown('catalog.*', declared)).toBe(true);
    expect(isKnown('catalog.product.fly', declared)).toBe(false);
  });
});

describe('system roles', () => {
  const names = (role: Parameters<typeof systemGrants>[0]) => expand(systemGrants(role, declared), declared);
  it('an owner may do everything', () => expect(names('owner')).toHaveLength(declared.length));
  it('a manager runs the shop, but gives no rights and switches no plugin', () => {
    expect(names('manager')).toEqual(
      expect.arrayContaining(['orders.order.refund', 'workspace.setting.update', 'identity.role.read', 'identity.self.use']),
    );
    expect(names('manager')).not.toEqual(expect.arrayContaining(['identity.role.create']));
    expect(names('manager')).not.toContain('platform.plugin.update');
  });
  it('staff ship, but neither refund nor delete', () => {
    expect(names('staff')).toEqual(
      expect.arrayContaining(['orders.order.ship', 'workspace.notification.update', 'identity.self.use']),
    );
    for (const name of [
      'orders.order.refund',
      'catalog.product.delete',
      'workspace.setting.update',
      'webhooks.endpoint.create',
      'identity.role.read',
    ])
      expect(names('staff')).not.toContain(name);
  });
  it('read-only reads', () => {
    expect(names('read-only')).toEqual([
      'catalog.product.read',
      'orders.order.read',
      'workspace.setting.read',
      'platform.plugin.read',
      'identity.role.read',
      'identity.self.use',
    ]);
  });
  it('follow what is installed later', () => {
    const more = [...declared, { plugin: 'hotel', name: 'hotel.room.read' }];
    expect(systemGrants('manager', more)).toContain('hotel.*');
    expect(systemGrants('read-only', more)).toContain('hotel.room.read');
  });
  it('the union of roles names each grant once', () => {
    const roles = [
      { name: 'a', system: false, permissions: ['catalog.*', 'orders.order.read'] },
      { name: 'b', system: false, permissions: ['orders.order.read'] },
    ];
    expect(unionOf(roles, declared)).toEqual(['catalog.*', 'orders.order.read']);
  });
});

import { describe, expect, it } from 'vitest';
import { checkLimits, type Usage } from './limits.ts';

const terms = { state: 'valid' as const, limits: { tenants: 3, stores: 2 }, domains: ['shop.example', '*.brand.example'] };
const refused = (rooms: Usage, over: object = {}): string | undefined => {
  try {
    checkLimits({ ...terms, ...over }, rooms);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('what a licence has room for', () => {
  it('tenants and open shops, up to its numbers', () => {
    expect([refused({ tenants: 3 }), refused({ stores: 2 }), refused({})]).toEqual([undefined, undefined, undefined]);
    expect([refused({ tenants: 4 }), refused({ stores: 3 })]).toEqual(['license_required', 'license_required']);
    expect(refused({ tenants: 400, stores: 400 }, { limits: {} })).toBeUndefined();
  });

  it.each(['expired', 'revoked', 'none'] as const)('%s: no new tenant; what there is may open, close and move', (state) => {
    expect(refused({ tenants: 1 }, { state })).toBe('license_required');
    expect(refused({ stores: 2, hosts: ['shop.example'] }, { state })).toBeUndefined();
  });

  it.each(['renewal_due', 'grace'] as const)('%s: everything', (state) => {
    expect(refused({ tenants: 1, stores: 1, hosts: ['shop.example'] }, { state })).toBeUndefined();
  });

  it('hosts of its domains, and below them', () => {
    for (const host of [
      'shop.example',
      'www.shop.example',
      'a.b.shop.example',
      'brand.example',
      'ro.brand.example',
      'a.localhost',
      '127.0.0.1',
    ])
      expect(refused({ hosts: [host] }), host).toBeUndefined();
    for (const host of ['example', 'other.example', 'myshop.example', 'shop.example.evil.example', 'localhost.evil.example'])
      expect(refused({ hosts: ['shop.example', host] }), host).toBe('license_required');
    expect(refused({ hosts: ['other.example'] }, { domains: [] })).toBeUndefined();
  });
});

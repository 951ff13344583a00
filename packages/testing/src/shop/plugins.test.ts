import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findPlugins } from './plugins.ts';

const folder = (name: string): string => fileURLToPath(new URL(`../../../../plugins/${name}`, import.meta.url));

describe('findPlugins', () => {
  it('finds a plugin that the package of the test declares', () => {
    expect(findPlugins(['catalog'], folder('inventory')).list).toEqual(['@storeloom/plugin-catalog']);
  });
  it('refuses one that is only installed above the package', () => {
    expect(() => findPlugins(['catalog'], folder('identity'))).toThrow(
      'A test of @storeloom/plugin-identity starts the plugin catalog, but its package.json does not declare @storeloom/plugin-catalog.',
    );
  });
  it('finds foundation plugins, which every installation has', () => {
    expect(findPlugins(['workspace'], folder('identity')).list).toEqual(['@storeloom/plugin-workspace']);
  });
});

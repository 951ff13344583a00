import { expect, test } from 'vitest';
import { type PluginList, unexpectedChanges } from './plugin-diff.ts';

const plugin = (name: string, version: string, state = 'ready'): PluginList[number] => ({ name, package: name, version, state });

test('higher versions are expected; added, removed, downgraded and no longer ready plugins are named', () => {
  const before = [plugin('hotel', '1.2.0'), plugin('orders', '1.0.0'), plugin('old', '1.0.0'), plugin('idle', '1.0.0', 'failed')];
  expect(unexpectedChanges(before, [plugin('hotel', '1.3.0'), ...before.slice(1)])).toEqual([]);
  expect(
    unexpectedChanges(before, [
      plugin('hotel', '1.1.9'),
      plugin('orders', '1.1.0', 'failed'),
      plugin('idle', '1.0.0', 'failed'),
      plugin('gift', '1.0.0'),
    ]),
  ).toEqual([
    { name: 'hotel', change: 'downgraded', from: '1.2.0', to: '1.1.9' },
    { name: 'orders', change: 'not_ready', from: '1.0.0', to: '1.1.0' },
    { name: 'gift', change: 'added', from: null, to: '1.0.0' },
    { name: 'old', change: 'removed', from: '1.0.0', to: null },
  ]);
});

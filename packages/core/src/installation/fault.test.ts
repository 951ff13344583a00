import { expect, it } from 'vitest';
import { withoutPaths } from './fault.ts';

it('the message for a shop contains no path of the server', () => {
  const text = (path: string): string => `broken 1.0.0 can't be imported\n  where  ${path}\n  docs   /errors/import_failed`;
  expect(withoutPaths(text(import.meta.url))).toBe(text('…/installation/fault.test.ts'));
  expect(withoutPaths(text(import.meta.filename))).toBe(text('…/installation/fault.test.ts'));
  expect(
    withoutPaths(
      `Cannot find module '/usr/lib/shop/node_modules/@storeloom/plugin-x/dist/index.js' imported from "/usr/x/y.js:3:4"`,
    ),
  ).toBe(`Cannot find module 'node_modules/@storeloom/plugin-x/dist/index.js' imported from "…/x/y.js:3:4"`);
  expect(withoutPaths('at C:\\shops\\nord\\plugins\\x\\index.js')).toBe('at …/x/index.js');
});

it('routes, packages and addresses stay as they are', () => {
  for (const text of [
    'it claims GET /api/admin/things/{id} twice; /errors/contribution_invalid',
    '@storeloom/plugin-x@1.0.0 needs ^2.0.0',
    'see https://example.com/usr/lib and ./usr/lib',
  ])
    expect(withoutPaths(text)).toBe(text);
});

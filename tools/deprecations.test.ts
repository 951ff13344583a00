import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deprecationsIn, mergeDeprecations, removalOf } from './deprecations.mjs';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-deprecations-'));
  mkdirSync(join(base, 'sdk/src'), { recursive: true });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function found(text: string) {
  writeFileSync(join(base, 'sdk/src/index.ts'), text);
  const manifest = { exports: { '.': { 'storeloom-source': './src/index.ts' }, './package.json': './package.json' } };
  return deprecationsIn({ dir: 'sdk', name: '@acme/sdk', manifest, sources: ['sdk/src/index.ts'] }, base);
}
const api = (name: string, since: string, removedIn: string, replacement?: string) => ({
  kind: 'api' as const,
  name,
  package: '@acme/sdk',
  since,
  removedIn,
  ...(replacement === undefined ? {} : { replacement }),
});

test('exports and members with the tag, with the version that may remove them', () => {
  const text = `
    /** Sends. @deprecated since 1.4.0, use {@link deliver}. */
    export function send(): void {}
    export interface Mail {
      /** @deprecated since 2.0.0 */
      subject: string;
      text: string;
    }
    /** @deprecated since 1.1.0, use \`limits.max\` */
    export const max = 3;
    /** @deprecated since 1.0.0 */
    const hidden = 1;
    export const kept = hidden;`;
  expect(found(text)).toEqual([
    api('send', '1.4.0', '3.0.0', 'deliver'),
    api('Mail.subject', '2.0.0', '3.0.0'),
    api('max', '1.1.0', '3.0.0', 'limits.max'),
  ]);
  expect(found('export const plain = 1;')).toEqual([]);
});

test('a tag without a version is refused with its place', () => {
  expect(() => found('/** @deprecated use y */\nexport const x = 1;')).toThrow(
    /index\.ts:\d+: write @deprecated since <version>/,
  );
});

test('what is deprecated works for one whole major', () => {
  expect(['1.4.0', '1.0.1', '2.0.0'].map(removalOf)).toEqual(['3.0.0', '3.0.0', '3.0.0']);
});

test('a removal is recorded, and refused before its version', () => {
  const [old, live] = [api('send', '1.4.0', '3.0.0'), api('max', '2.1.0', '4.0.0')];
  expect(mergeDeprecations([old, live], [live], '3.0.0')).toEqual({ live: [live], gone: [old] });
  expect(() => mergeDeprecations([old, live], [live], '2.9.0')).toThrow(
    'send was removed in 2.9.0; deprecated since 1.4.0, it works until 3.0.0',
  );
});

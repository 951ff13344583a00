import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { themeTemplates } from '@storeloom/plugin-sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadThemes } from './load.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'storeloom-themes-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const hero = {
  enabledOn: ['home'],
  settings: { type: 'object', properties: { title: { type: 'string', 'x-translatable': true } } },
};
const whole = { contract: 1, templates: [...themeTemplates] };
function make(name: string, theme: unknown = whole, manifest: object = {}): string {
  const folder = join(dir, name);
  mkdirSync(folder);
  const json = { name: `@test/theme-${name}`, version: '1.0.0', storeloom: { theme: name }, ...manifest };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(json));
  if (theme !== null) writeFileSync(join(folder, 'theme.json'), typeof theme === 'string' ? theme : JSON.stringify(theme));
  return `./${name}`;
}
const packageFile = (spec: string, from: string): string | undefined => {
  const file = join(from, spec, 'package.json');
  return existsSync(file) ? file : undefined;
};
const load = (themes: string[], theme?: string) => loadThemes({ dir, themes, theme, packageFile });
const codes = (themes: string[]) => load(themes).map(({ name, problems }) => [name, problems.map(({ code }) => code)]);

describe('themes of an installation', () => {
  test('one that is whole has no problem; the configured one is the default, listed or not', () => {
    make('nord');
    make('casa');
    expect(load(['./casa'], './nord').map(({ name, isDefault, problems }) => [name, isDefault, problems])).toEqual([
      ['nord', true, []],
      ['casa', false, []],
    ]);
    expect(load(['./nord', './casa']).some(({ isDefault }) => isDefault)).toBe(false);
    expect(load([])).toEqual([]);
  });

  test.each([
    ['no description', null, {}, ['description_invalid']],
    ['no JSON', '{', {}, ['description_invalid']],
    ['another contract', { contract: 2 }, {}, ['description_invalid']],
    ['an unknown member', { ...whole, script: 'x' }, {}, ['description_invalid']],
    ['settings that are no schema of an object', { ...whole, settings: { type: 'array' } }, {}, ['description_invalid']],
    [
      'settings of an unknown type',
      { ...whole, settings: { type: 'object', properties: { a: { type: 'banana' } } } },
      {},
      ['description_invalid'],
    ],
    [
      'a mark without a section',
      {
        ...whole,
        sections: {
          hero: {
            settings: { type: 'object', properties: { a: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] } } },
          },
        },
      },
      {},
      ['description_invalid'],
    ],
    ['a token without a value', { ...whole, tokens: { color: { primary: '#fff' } } }, {}, ['token_invalid']],
    [
      'a token that ends its declaration',
      { ...whole, tokens: { color: { primary: { $value: 'red;}' } } } },
      {},
      ['token_invalid'],
    ],
    ['a page too few', { contract: 1, templates: themeTemplates.filter((id) => id !== 'cart') }, {}, ['template_missing']],
    ['a parent that is not there', whole, { storeloom: { theme: 'x', parent: '@test/theme-none' } }, ['parent_missing']],
    ['itself as parent', whole, { storeloom: { theme: 'x', parent: '@test/theme-x' } }, ['parent_missing']],
    ['a preset of a section that is not there', { ...whole, presets: { home: [{ type: 'x' }] } }, {}, ['preset_invalid']],
    ['a preset of a page that is not there', { ...whole, presets: { attic: [] } }, {}, ['preset_invalid']],
    [
      'presets that their sections do not take',
      { ...whole, sections: { hero }, presets: { home: [{ type: 'hero', settings: { title: 7 } }], cart: [{ type: 'hero' }] } },
      {},
      ['preset_invalid', 'preset_invalid'],
    ],
    ['no name', whole, { storeloom: {} }, ['manifest_invalid']],
    ['a version that is none', whole, { version: 'one' }, ['manifest_invalid']],
    ['an SDK range that is none', whole, { peerDependencies: { '@storeloom/theme-sdk': 'banana' } }, ['theme_sdk']],
  ] as const)('%s: there, and not to be put on', (_, theme, manifest, wanted) => {
    make('x', theme, manifest);
    expect(codes(['./x'])).toEqual([['x', wanted]]);
  });

  test('a text may be marked as translatable, and members are those that the schema names', () => {
    make('nord', {
      ...whole,
      sections: { hero },
      presets: { home: [{ type: 'hero', settings: { title: { ro: 'x', en: 'y' } } }] },
    });
    expect(load(['./nord'])).toMatchObject([
      {
        problems: [],
        sections: {
          hero: {
            enabledOn: ['home'],
            settings: { additionalProperties: false, properties: { title: { anyOf: [{ type: 'string' }, { type: 'object' }] } } },
          },
        },
      },
    ]);
  });

  test('two of one name: the second counts for nothing', () => {
    make('nord');
    make('other', whole, { storeloom: { theme: 'nord' } });
    expect(load(['./nord', './other']).map((theme) => theme.package)).toEqual(['@test/theme-nord']);
  });

  test('a child takes what it does not say from its parents; a circle of them is broken', () => {
    const schema = (columns: number) => ({ type: 'object', properties: { columns: { type: 'integer', default: columns } } });
    make('base', { ...whole, tokens: { color: { a: { $value: '#aaa' }, b: { $value: '#bbb' } } }, settings: schema(4) });
    const child = { contract: 1, tokens: { color: { b: { $value: '#000' } } }, templates: ['events/calendar'] };
    make('child', child, { storeloom: { theme: 'child', parent: '@test/theme-base' } });
    make(
      'grandchild',
      { contract: 1, settings: schema(2) },
      { storeloom: { theme: 'grandchild', parent: '@test/theme-child/theme' } },
    );
    const [, , grandchild] = load(['./base', './child', './grandchild']);
    expect(grandchild).toMatchObject({
      problems: [],
      tokens: { color: { a: { $value: '#aaa' }, b: { $value: '#000' } } },
      settings: { properties: { columns: { default: 2 } } },
      templates: expect.arrayContaining(['cart', 'events/calendar']),
    });
    make('one', whole, { storeloom: { theme: 'one', parent: '@test/theme-two' } });
    make('two', whole, { storeloom: { theme: 'two', parent: '@test/theme-one' } });
    expect(codes(['./one', './two'])).toEqual([
      ['one', ['parent_missing']],
      ['two', ['parent_missing']],
    ]);
  });
});

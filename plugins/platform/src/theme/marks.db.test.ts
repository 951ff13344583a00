import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('settings of themes by their marks', () => {
  const uri = { type: 'string', format: 'uri', maxLength: 200 };
  const html = { type: 'string', contentMediaType: 'text/html', maxLength: 2000 };
  const words = { 'x-translatable': true };
  const own = {
    link: uri,
    links: { type: 'array', items: { ...uri, ...words } },
    site: { ...uri, ...words },
    deep: {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', properties: { to: uri, text: html } } } },
    },
    story: html,
    stories: { ...html, ...words },
    path: { type: 'string', pattern: '^/(?!/)[^\\s\\\\]*$' },
    either: { anyOf: [{ type: 'integer' }, { type: 'string', enum: ['all'] }] },
  };
  /** Each would hide what it holds from us. */
  const hiding: [shape: string, of: (marked: object) => object][] = [
    ['any-of', (marked) => ({ anyOf: [marked, { type: 'null' }] })],
    ['one-of', (marked) => ({ oneOf: [marked, { type: 'integer' }] })],
    ['all-of', (marked) => ({ allOf: [marked] })],
    ['beside', (marked) => ({ type: 'string', anyOf: [marked, { type: 'string', maxLength: 3 }] })],
    ['ref', (marked) => ({ $ref: '#/$defs/it', $defs: { it: marked } })],
    ['further', (marked) => ({ type: 'object', properties: {}, additionalProperties: marked })],
    ['by-pattern', (marked) => ({ type: 'object', patternProperties: { default: marked } })],
    ['tuple', (marked) => ({ type: 'array', prefixItems: [marked] })],
    ['old-tuple', (marked) => ({ type: 'array', items: [marked] })],
    ['deep', (marked) => ({ type: 'array', items: { anyOf: [{ type: 'object', properties: { it: { ...marked } } }] } })],
    ['no-type', ({ type: _, ...marked }: { type?: string }) => marked],
    ['or-null', (marked) => ({ ...marked, type: ['string', 'null'] })],
  ];
  const shapes = hiding.flatMap(([shape, of]) =>
    Object.entries({ uri, html, words: { type: 'string', ...words }, row: { type: 'string', 'x-ref': 'customers.group' } }).map(
      ([name, marked]) => [`${shape}-${name}`, of(marked)] as const,
    ),
  );
  const strange = Object.entries({
    relative: { type: 'string', format: 'uri-reference' },
    iri: { type: 'string', format: 'iri' },
    xhtml: { type: 'string', contentMediaType: 'application/xhtml+xml' },
  });
  let dir: string;
  let shop: TestShop;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'storeloom-marks-'));
    const { templates } = JSON.parse(readFileSync(new URL('../../test/themes/nord/theme.json', import.meta.url), 'utf8'));
    const made = (name: string, properties: object): string => {
      const at = join(dir, name);
      mkdirSync(at);
      const manifest = { name: `@test/theme-${name}`, version: '1.0.0', storeloom: { theme: name } };
      writeFileSync(join(at, 'package.json'), JSON.stringify(manifest));
      const theme = { contract: 1, title: { en: name }, templates, settings: { type: 'object', properties } };
      writeFileSync(join(at, 'theme.json'), JSON.stringify(theme));
      return at;
    };
    shop = await testShop({
      plugins: [],
      now: '2026-11-27T12:00:00.000Z',
      themes: [made('marked', own), ...[...shapes, ...strange].map(([name, it]) => made(name, { it }))],
    });
  });
  afterAll(async () => {
    await shop?.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const put = (name: string, value: unknown) =>
    shop.a.admin.put<{ value: unknown }>(`/api/admin/settings/theme.${name}`, { value });

  it('an address is one that can not run, in every language and at every depth', async () => {
    for (const fine of ['https://shop.example/x', 'HTTP://shop.example', 'mailto:shop@shop.example', 'tel:+40700000000'])
      for (const [name, value, stored] of [
        ['link', fine, fine],
        ['links', [fine, { ro: fine, en: fine }], [{ ro: fine }, { ro: fine, en: fine }]],
        ['site', { ro: fine, en: fine }, { ro: fine, en: fine }],
        ['deep', { list: [{ to: fine }] }, { list: [{ to: fine }] }],
      ] as const)
        expect(await put(name, value), `${name} ${fine}`).toMatchObject({ status: 200, body: { value: stored } });
    const ok = 'https://shop.example/';
    for (const bad of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:https://x.example/1',
      '/x',
      '//outside.example/x',
    ])
      for (const [name, value, pointer] of [
        ['link', bad, ''],
        ['links', [ok, bad], '/1'],
        ['links', [{ ro: ok, en: bad }], '/0'],
        ['site', bad, ''],
        ['site', { ro: ok, en: bad }, ''],
        ['deep', { list: [{ to: ok }, { to: bad }] }, '/list/1/to'],
      ] as const) {
        const { status, body } = await put(name, value);
        expect([name, bad, status, body]).toMatchObject([
          name,
          bad,
          422,
          { errors: [{ pointer: expect.stringMatching(new RegExp(`^/value${pointer}(?:/ro|/en)?$`)) }] },
        ]);
      }
    // A path on the shop's own host is a text with a pattern.
    expect((await put('path', '/collections/new')).status).toBe(200);
    for (const bad of ['//outside.example', '/\\outside.example', '/\t/outside.example', 'javascript:x'])
      expect((await put('path', bad)).status, bad).toBe(422);
    const shown = (await shop.a.guest.get<{ settings: object }>('/api/storefront/active-theme/')).body.settings;
    expect(shown).toMatchObject({ path: '/collections/new' });
    expect(JSON.stringify(shown)).not.toMatch(/script:|data:|blob:/i);
  });

  it('HTML is sanitised in every language and at every depth', async () => {
    const [bad, good] = ['<p>x<script>alert(1)</script><img src=x onerror=alert(1)></p>', /^<p>x(?:<img[^>]*>)?<\/p>$/];
    const clean = expect.stringMatching(good);
    for (const [name, value, stored] of [
      ['story', bad, clean],
      ['stories', bad, { ro: clean }],
      ['stories', { ro: bad, en: bad }, { ro: clean, en: clean }],
      ['deep', { list: [{ text: bad }] }, { list: [{ text: clean }] }],
    ] as const)
      expect(await put(name, value), name).toMatchObject({ status: 200, body: { value: stored } });
    expect((await put('either', 'all')).status).toBe(200);
  });

  it('a theme that marks what we would not find is broken, and says where', async () => {
    const all = (await shop.a.admin.get<{ data: { id: string; problems: object[] }[] }>('/api/admin/themes/')).body.data;
    const broken = Object.fromEntries(all.map(({ id, problems }) => [id, problems]));
    expect(broken.marked).toEqual([]);
    for (const [name] of [...shapes, ...strange])
      expect([name, broken[name]]).toEqual([
        name,
        [{ code: 'description_invalid', message: expect.stringContaining('/properties/it') }],
      ]);
    expect(await shop.a.admin.post('/api/admin/themes/any-of-uri/install')).toMatchObject({
      status: 409,
      body: { code: 'theme_incompatible' },
    });
  });
});

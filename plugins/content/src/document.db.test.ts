import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultOf, type Json, make } from '../test/shop.ts';
import { overdue } from './jobs.ts';
import { queued } from './queued.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['content'] });
});
afterAll(() => shop?.stop());
const inFuture = (seconds: number): string => new Date(shop.clock.ms() + seconds * 1000).toISOString();
const eventsOf = (id: string) =>
  shop.rows<Json>('select type, data from core_event where aggregate = $1 and type like $2 order by sequence', [
    id,
    '%.published',
  ]);

describe.each([
  { admin: '/pages/', shown: '/api/storefront/pages/', at: '/pages/', entity: 'content.page', template: 'page' },
  { admin: '/blog/posts', shown: '/api/storefront/blog/posts/', at: '/blog/', entity: 'content.post', template: 'article' },
])('$entity', ({ admin, shown, at, entity, template }) => {
  const one = (id: string): string => `/api/admin${admin.replace(/\/$/, '')}/${id}`;
  const see = (slug: string, headers: Record<string, string> = {}) => shop.a.guest.get<Json>(`${shown}${slug}`, { headers });
  const listed = async (): Promise<string[]> =>
    (await shop.a.guest.get<Json>(`${shown.replace(/\/$/, '')}?limit=100`)).body.data.map((row: Json) => row.slug);

  it('is made, read, changed and removed', async () => {
    const made = await make(shop.a, admin, { title: { ro: 'Ghid de mărimi', en: 'Size guide' }, body: '<p>Salut</p>' });
    expect(made).toMatchObject({
      slug: 'ghid-de-marimi',
      status: 'draft',
      publishAt: null,
      body: { ro: '<p>Salut</p>' },
      version: 1,
      seo: null,
    });
    const again = await make(shop.a, admin, { title: 'Ghid de mărimi' });
    expect(again.slug).toBe('ghid-de-marimi-2');
    const taken = await shop.a.admin.post<Json>(`/api/admin${admin}`, { title: 'x', slug: 'ghid-de-marimi' });
    expect(taken.body).toMatchObject({ status: 409, code: 'duplicate', field: 'slug' });
    // The other shop has its own.
    expect((await make(shop.b, admin, { title: 'x', slug: 'ghid-de-marimi' })).slug).toBe('ghid-de-marimi');
    const read = await shop.a.admin.get<Json>(one(made.id));
    expect(read.body.title).toEqual({ ro: 'Ghid de mărimi', en: 'Size guide' });
    const list = await shop.a.admin.get<Json>(`/api/admin${admin}?q=size&status=draft`);
    expect(list.body.data.map((row: Json) => row.id)).toEqual([made.id]);
    expect(list.body.data[0]).not.toHaveProperty('body');
    expect((await shop.a.admin.patch(one(made.id), { position: 3 }, { 'if-match': '"7"' })).status).toBe(412);
    const changed = await shop.a.admin.patch<Json>(one(made.id), { position: 3, seo: { title: 'T', noindex: true } });
    expect(changed.body).toMatchObject({
      position: 3,
      version: 2,
      seo: { title: { ro: 'T' }, description: null, canonical: null, noindex: true },
    });
    expect((await shop.a.admin.delete(one(made.id))).status).toBe(204);
    expect((await shop.a.admin.get(one(made.id))).status).toBe(404);
    expect((await shop.a.admin.delete(one(made.id))).status).toBe(404);
    await shop.a.admin.delete(one(again.id));
    const audit = await shop.rows<Json>('select action from core_audit where entity_id = $1 order by position', [made.id]);
    expect(audit.map(({ action }) => action)).toEqual([`${entity}.create`, `${entity}.update`, `${entity}.delete`]);
  });

  it.each([
    [{ title: { en: 'only English' } }, 'validation_failed', '/title/ro'],
    [{ title: 'x', slug: 'Not A Slug' }, 'validation_failed', '/slug'],
    [{ title: 'x', status: 'gone' }, 'validation_failed', '/status'],
    [{ title: 'x', status: 'scheduled' }, 'validation_failed', '/publishAt'],
    [{ title: 'x', status: 'scheduled', publishAt: '2020-01-01T00:00:00Z' }, 'validation_failed', '/publishAt'],
    [{ title: 'x', status: 'published', publishAt: '2120-01-01T00:00:00Z' }, 'validation_failed', '/publishAt'],
    [{ title: 'x', template: 'no-such-template' }, 'validation_failed', '/template'],
    [{ title: 'x', id: '0190a000-0000-7000-8000-000000000001' }, 'unknown_field', '/id'],
    [{ title: 'x', seo: { canonical: 'javascript:alert(1)' } }, 'validation_failed', '/seo/canonical'],
  ])('refuses %j', async (body, code, pointer) => {
    const answer = await shop.a.admin.post<Json>(`/api/admin${admin}`, body);
    expect([answer.status, ...faultOf(answer.body).slice(0, 2)]).toEqual([422, code, pointer]);
  });

  it('is seen by visitors once it is published, and not before or after', async () => {
    const made = await make(shop.a, admin, { title: 'Vizibil', slug: 'vizibil', body: '<p>text</p>' });
    const move = (status: string, more: Json = {}) => shop.a.admin.patch<Json>(one(made.id), { status, ...more });
    expect((await see('vizibil')).status).toBe(404);
    expect((await move('scheduled')).body.errors[0].pointer).toBe('/publishAt');
    expect((await move('scheduled', { publishAt: inFuture(3600) })).body.status).toBe('scheduled');
    expect((await see('vizibil')).status).toBe(404);
    const published = await move('published');
    expect(published.body.status).toBe('published');
    expect(published.body.publishAt <= shop.clock.now()).toBe(true);
    const answer = await see('vizibil');
    expect(answer.body).toMatchObject({ slug: 'vizibil', title: 'Vizibil', body: '<p>text</p>', path: `${at}vizibil`, template });
    expect(await listed()).toContain('vizibil');
    // Again into the same state: nothing happens.
    expect((await move('published')).body.status).toBe('published');
    expect(await eventsOf(made.id)).toHaveLength(1);
    expect((await move('draft')).body.status).toBe('draft');
    expect((await see('vizibil')).status).toBe(404);
    expect(await listed()).not.toContain('vizibil');
    await move('published');
    expect((await move('archived')).body.status).toBe('archived');
    expect((await see('vizibil')).status).toBe(404);
    const back = await move('published');
    expect(back.body).toMatchObject({ status: 409, code: 'invalid_transition', from: 'archived', to: 'published', allowed: [] });
    const history = await shop.rows<Json>(
      'select to_status as to from core_status_history where entity_id = $1 order by at, id',
      [made.id],
    );
    expect(history.map(({ to }) => to)).toEqual(['draft', 'scheduled', 'published', 'draft', 'published', 'archived']);
  });

  it('is published at its time: immediately by the query, with its event by the job', async () => {
    const made = await make(shop.a, admin, { title: 'Plan', slug: 'plan', status: 'scheduled', publishAt: inFuture(3600) });
    const [job] = await shop.rows<Json>(
      `select extract(epoch from start_after - now())::int as seconds from jobs.job where data -> 'data' ->> 'id' = $1`,
      [made.id],
    );
    expect(Math.abs(job!.seconds - 3600)).toBeLessThan(60);
    expect((await see('plan')).status).toBe(404);
    shop.clock.advance(3_601_000);
    expect((await see('plan')).status).toBe(200);
    expect(await eventsOf(made.id)).toEqual([]);
    shop.clock.advance(300_000);
    // As if the job had been lost; two that look publish it once.
    await shop.rows(`delete from jobs.job where data -> 'data' ->> 'id' = $1`, [made.id]);
    await Promise.all([1, 2].map(() => shop.kernel.asPlatform('content', (ctx) => overdue.run(ctx, {}))));
    await shop.settled();
    expect((await shop.a.admin.get<Json>(one(made.id))).body).toMatchObject({ status: 'published', publishAt: made.publishAt });
    expect(await eventsOf(made.id)).toMatchObject([
      { type: `${entity}.published`, data: { id: made.id, slug: 'plan', path: `${at}plan`, title: { ro: 'Plan' } } },
    ]);
    // Put off before its time: the job of the old time does nothing.
    const later = await make(shop.a, admin, { title: 'Later', slug: 'later', status: 'scheduled', publishAt: inFuture(60) });
    await shop.a.admin.patch(one(later.id), { publishAt: inFuture(7200) });
    shop.clock.advance(61_000);
    await shop.a.run('content', (ctx) => ctx.enqueue(queued.publish, { entity, id: later.id }));
    await shop.settled();
    expect((await shop.a.admin.get<Json>(one(later.id))).body.status).toBe('scheduled');
    expect((await see('later')).status).toBe(404);
    await shop.a.admin.patch(one(later.id), { status: 'draft' });
    shop.clock.advance(7_200_000);
    expect((await see('later')).status).toBe(404);
  });

  it('never serves a script, of any author', async () => {
    const body = [
      '<p onclick="alert(1)">a</p>',
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '<a href="javascript:alert(1)">b</a>',
      '<a href="java&#10;script:alert(1)">c</a>',
      '<svg><script>alert(1)</script></svg>',
      '<iframe src="https://example.org"></iframe>',
      '<style>*{}</style>',
      '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
      '<a href="//elsewhere.example">d</a>',
      '<form action="/x"><input name="y"></form>',
    ].join('');
    const made = await make(shop.a, admin, {
      title: '<b>Titlu</b>',
      slug: 'curat',
      status: 'published',
      body: { ro: body, en: body },
    });
    for (const text of [...Object.values<string>(made.body), (await see('curat')).body.body]) {
      expect(text).not.toMatch(/script|onclick|onerror|javascript|iframe|<style|<svg|<math|elsewhere|<form|<input/i);
      expect(text).toContain('<p>a</p>');
    }
    const patched = await shop.a.admin.patch<Json>(one(made.id), { body: `<p>${body}</p>` });
    expect(patched.body.body.ro).not.toMatch(/script|onerror|javascript/i);
  });

  it('speaks the language of the visitor, and has a head for search engines', async () => {
    await make(shop.a, admin, {
      title: { ro: 'Despre', en: 'About' },
      slug: 'about-us',
      status: 'published',
      body: { ro: `<p>Unu &amp; doi.</p><p>${'cuvânt '.repeat(60)}</p>`, en: '<p>One.</p>' },
      seo: { title: { ro: 'Titlu SEO', en: 'SEO title' } },
    });
    const ro = await see('about-us');
    const en = await see('about-us', { 'accept-language': 'en' });
    const other = await see('about-us', { 'accept-language': 'fr' });
    expect([ro.body.title, en.body.title, other.body.title]).toEqual(['Despre', 'About', 'Despre']);
    expect(ro.headers['cache-control']).toContain('public');
    expect(ro.headers.vary).toContain('Accept-Language');
    expect(en.body.seo).toEqual({
      title: 'SEO title',
      description: 'One.',
      canonical: `${at}about-us`,
      noindex: false,
      locales: ['ro', 'en'],
    });
    expect(ro.body.seo.description.length).toBeLessThanOrEqual(160);
    expect(ro.body.seo.description).toMatch(/^Unu & doi\. cuvânt .*cuvânt…$/);
    // An allow-list: nothing of what staff keep for themselves.
    for (const hidden of ['status', 'version', 'tenantId', 'createdAt']) expect(ro.body).not.toHaveProperty(hidden);
    const etag = String(ro.headers.etag);
    expect((await see('about-us', { 'if-none-match': etag })).status).toBe(304);
    expect((await shop.a.guest.get(`${shown.replace('/api/', '/api/v1/')}about-us`)).status).toBe(200);
    expect((await shop.b.guest.get(`${shown}about-us`)).status).toBe(404);
  });

  it('leaves a redirect where its address changes, if anybody knew it', async () => {
    const cms = (path: string) => shop.a.guest.get<Json>(`/api/storefront/cms-page?path=${encodeURIComponent(path)}`);
    const draft = await make(shop.a, admin, { title: 'x', slug: 'draft-one' });
    await shop.a.admin.patch(one(draft.id), { slug: 'draft-two' });
    expect((await cms(`${at}draft-one`)).status).toBe(404);
    const made = await make(shop.a, admin, { title: 'x', slug: 'first', status: 'published' });
    await shop.a.admin.patch(one(made.id), { slug: 'second' });
    expect((await cms(`${at}first`)).body).toEqual({
      page: null,
      sections: [],
      seo: null,
      redirect: { to: `${at}second`, code: 301 },
    });
    await shop.a.admin.patch(one(made.id), { slug: 'third' });
    // No chain: both lead to where it is now.
    expect((await cms(`${at}first`)).body.redirect.to).toBe(`${at}third`);
    expect((await cms(`${at}second/`)).body.redirect.to).toBe(`${at}third`);
    // And back: no loop.
    await shop.a.admin.patch(one(made.id), { slug: 'first' });
    expect((await see('first')).status).toBe(200);
    expect((await cms(`${at}second`)).body.redirect.to).toBe(`${at}first`);
    const away = await shop.a.admin.delete<Json>(`${one(made.id)}?redirectTo=javascript:alert(1)`);
    expect([away.status, away.body.code]).toEqual([400, 'invalid_parameter']);
    expect((await shop.a.admin.delete<Json>(`${one(made.id)}?redirectTo=${at}first`)).body.code).toBe('redirect_loop');
    expect((await shop.a.admin.delete(`${one(made.id)}?redirectTo=/elsewhere`)).status).toBe(204);
    expect((await cms(`${at}first`)).body.redirect.to).toBe('/elsewhere');
    const plain = await make(shop.a, admin, { title: 'x', slug: 'goes', status: 'published' });
    await shop.a.admin.delete(one(plain.id));
    expect((await cms(`${at}goes`)).status).toBe(404);
  });

  it('needs a permission for each thing', async () => {
    const made = await make(shop.a, admin, { title: 'x' });
    const reader = await shop.a.staff([`${entity}.read`]);
    expect((await reader.get(one(made.id))).status).toBe(200);
    expect((await reader.post(`/api/admin${admin}`, { title: 'x' })).status).toBe(403);
    expect((await reader.patch(one(made.id), { title: 'x' })).status).toBe(403);
    expect((await reader.delete(one(made.id))).status).toBe(403);
    expect((await shop.a.guest.get(one(made.id))).status).toBe(401);
  });

  it('gives two simultaneous equal titles separate addresses, or a clear error', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => shop.a.admin.post<Json>(`/api/admin${admin}`, { title: 'La fel' })),
    );
    for (const { status, body } of answers)
      expect([201, 409]).toContain(status === 409 && body.code === 'duplicate' ? 409 : status);
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.slug)).size).toBe(made.length);
    expect(made.length).toBeGreaterThan(0);
  });

  it('is moved once by many at the same time', async () => {
    const made = await make(shop.a, admin, { title: 'Cursă' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => shop.a.admin.patch<Json>(one(made.id), { status: 'published' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await eventsOf(made.id)).toHaveLength(1);
  });
});

describe('the blog', () => {
  it('lists posts newest first, by page and tag', async () => {
    for (let i = 1; i <= 5; i++)
      await make(shop.b, '/blog/posts', {
        title: `Post ${i}`,
        status: 'published',
        publishAt: `2026-01-0${i}T00:00:00Z`,
        tags: i % 2 ? ['odd', 'all'] : ['all'],
        excerpt: { ro: `Rezumat ${i}`, en: `Excerpt ${i}` },
        cover: '/files/x.jpg',
        coverAlt: 'O poză',
        authorName: 'Redacția',
      });
    const path = '/api/storefront/blog/posts';
    const first = await shop.b.guest.get<Json>(`${path}?limit=2`);
    expect(first.body.data.map((row: Json) => row.title)).toEqual(['Post 5', 'Post 4']);
    const next = await shop.b.guest.get<Json>(`${path}?limit=2&cursor=${first.body.page.nextCursor}`);
    expect(next.body.data.map((row: Json) => row.title)).toEqual(['Post 3', 'Post 2']);
    const odd = await shop.b.guest.get<Json>(`${path}?tag=odd&total=true`);
    expect([odd.body.data.map((row: Json) => row.title), odd.body.page.total]).toEqual([['Post 5', 'Post 3', 'Post 1'], 3]);
    expect(first.body.data[0]).toEqual({
      id: expect.any(String),
      slug: 'post-5',
      path: '/blog/post-5',
      title: 'Post 5',
      excerpt: 'Rezumat 5',
      cover: '/files/x.jpg',
      coverAlt: 'O poză',
      tags: ['odd', 'all'],
      authorName: 'Redacția',
      publishAt: '2026-01-05T00:00:00.000Z',
      updatedAt: expect.any(String),
    });
    expect((await shop.b.guest.get<Json>(`${path}/post-5`)).body.seo.description).toBe('Rezumat 5');
    expect((await shop.b.guest.get(`${path}?status=draft`)).status).toBe(400);
    for (const cover of ['javascript:alert(1)', '//x.example/a.png', 'data:image/png;base64,x', '/\\x.example'])
      expect((await shop.b.admin.post<Json>('/api/admin/blog/posts', { title: 'x', cover })).body.errors[0].pointer).toBe(
        '/cover',
      );
  });
});

import { files, uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../plugins/checkout/test/goods.ts';
import { unsubscribePath } from '../plugins/inventory/src/waiting/unsubscribe.ts';
import { pngOf, uploadOf } from '../plugins/workspace/test/upload.ts';
import { none, openViewer, type Viewer, withoutChromium } from './support/browser.ts';
import { fill } from './support/fill.ts';
import { type House, openHouse } from './support/house.ts';
import { readMails } from './support/mails.ts';
import { type Payload, payloads, within } from './support/markup.ts';
import { type Body, filledPath, type Member, textsOf, withMember } from './support/members.ts';
import { type RichTexts, sellMarkup, send, writeRichTexts } from './support/spread.ts';
import { type Pages, servePages, setTexts, strangers } from './support/theme-pages.ts';

const nightly = process.env.STORELOOM_NIGHTLY === '1';
/** What is sold: an order takes longer than a text. */
const sold = payloads.filter(({ n }) => nightly || n % 8 === 6);

describe.skipIf(withoutChromium)(`markup in texts${withoutChromium ? ` (left out: ${withoutChromium})` : ''}`, () => {
  let house: House;
  let viewer: Viewer;
  let pages: Pages;
  /** Callers of the API process. */
  let admin: TestClient;
  let guest: TestClient;
  let base: string;
  let bodies: Body[];
  const texts: RichTexts = new Map();
  const products = new Map<number, Json>();
  const orders: string[] = [];
  beforeAll(async () => {
    [house, viewer, pages] = await Promise.all([openHouse(1), openViewer(), servePages()]);
    const [api] = house.apis;
    if (!api) throw new Error('no process was started');
    base = `http://${house.shop.a.host}:${api.port}`;
    [admin, guest] = [house.shop.a.admin.at(api.base), house.shop.a.guest.at(api.base)];
    await fill(house, house.shop.a, within(payloads[25] as Payload, 100));
    bodies = await textsOf(house.shop);
  }, 180_000);
  afterAll(async () => {
    await viewer?.close();
    await pages?.close();
    await house?.stop();
  });

  it('does what it says where it is shown as it was written', async () => {
    const watch = await openViewer();
    try {
      const raw = payloads.map(({ n, html }) => setTexts(pages, `raw${n}`, [html])[0] as string);
      const looks = await watch.openAll(
        raw.map((path) => pages.base + path),
        { wait: 100, ask: strangers },
      );
      const told = Object.values(watch.deeds).flat();
      const quiet = payloads.filter(({ n }) => !told.some((line) => line.includes(`/raw${n}: `)));
      const seen = looks.filter(({ answer }) => answer === undefined || (answer as Json).faults.length > 0);
      console.info(
        `${payloads.length} payloads as they are: ${payloads.length - quiet.length} run automatically or on interaction, ${seen.length} are visible in the page`,
      );
      expect(quiet.length).toBeLessThan(payloads.length / 6);
      expect(seen.length).toBeGreaterThan(payloads.length * 0.9);
      for (const list of Object.values(watch.deeds)) expect(list.length).toBeGreaterThan(0);
    } finally {
      await watch.close();
    }
  }, 300_000);

  it('comes out of every rich text as a text that stays in its box', async () => {
    for (const payload of payloads) {
      const { product } = await writeRichTexts({ admin, guest }, payload, texts);
      products.set(payload.n, product);
    }
    // All that the document calls HTML, and the texts of banners, whose schema is the theme's.
    const named = bodies.flatMap(({ method, path, members }) =>
      members
        .filter(({ html, pointer }) => method === 'POST' && html && pointer.at(-1) !== '*')
        .map(({ pointer }) => `${path.split('/').at(-1)} ${pointer.join('.')}`),
    );
    expect([...new Set(named)].sort()).toEqual(
      [
        'brands description',
        'categories description',
        'events description',
        'pages body',
        'posts body',
        'products description',
      ].sort(),
    );
    expect(texts.size).toBe(named.length + 1);
    let count = 0;
    for (const [member, list] of texts) {
      count += list.length;
      const looks = await viewer.openAll(
        setTexts(pages, member, list).map((path) => pages.base + path),
        { wait: 500, ask: strangers },
      );
      for (const { url, answer } of looks) expect([url, answer]).toEqual([url, { boxes: list.length, faults: [] }]);
    }
    console.info(
      `${count} texts of ${texts.size} members, each written into a page in two ways: ${JSON.stringify(viewer.deeds)}`,
    );
    expect(viewer.deeds).toEqual(none);
  }, 600_000);

  it('and addresses that run are none', async () => {
    const named =
      /^(?:url|link|href|src|to|image|picture|photo|cover|poster|banner|logo|icon|favicon|avatar|thumbnail|video|media|website|canonical)s?$|Urls?$/;
    // By what the document says of it, or by its name, which a list gives to what it holds; a time is not one.
    const isAddress = ({ pointer, schema: { format = '', pattern = '' } }: Member): boolean =>
      format === 'uri' ||
      pattern.includes('https?') ||
      (named.test(pointer.findLast((name) => name !== '*') ?? '') && !format.startsWith('date'));
    const addresses = bodies.flatMap((body) => body.members.filter(isAddress).map((member) => [body, member] as const));
    /** Replaces examples of the document that would be refused for another reason. */
    const whole: Json = { redirects: { fromPath: '/from', to: '/to' }, branding: {} };
    const taken: string[] = [];
    const tried = new Map<string, number>();
    for (const [{ method, path, example }, { pointer }] of addresses)
      for (const value of [
        'javascript:__hit(1)',
        'JaVaScRiPt:__hit(1)',
        'data:text/html,<script>__hit(1)</script>',
        'vbscript:x',
        '//outside.example/x',
        '/\\outside.example/x',
      ]) {
        const body = withMember(whole[path.split('/')[3] as string] ?? example, pointer, value);
        if (body === undefined) continue;
        const member = `${method} ${path} ${pointer.join('/')}`;
        tried.set(member, (tried.get(member) ?? 0) + 1);
        const { status, text } = await admin.call(method, await filledPath(admin, path), { body });
        if (status < 400 || status >= 500 || !text.includes(`"/${pointer.join('/').replaceAll('*', '0')}"`))
          taken.push(`${member} ${value}: ${status} ${text.slice(0, 300)}`);
      }
    console.info(`addresses that are none of the web, to ${tried.size} members`);
    // Every one that was found takes its six; fewer than there were when this was written means that they aren't found.
    expect(tried.size).toBe(addresses.length);
    expect(new Set(tried.values())).toEqual(new Set([6]));
    expect(tried.size).toBeGreaterThanOrEqual(41);
    expect(taken).toEqual([]);
  }, 300_000);

  it('runs in no document of the product, for any reader', async () => {
    await spread();
    const { shop } = house;
    const { body: own } = await admin.get<{ permissions: string[] }>('/api/admin/me/permissions');
    // Signed in a moment ago: the browser doesn't do it again.
    const staff = await shop.a.staff(own.permissions);
    const customer = await shop.a.customer();
    const as = {
      admin: staff.headers,
      storefront: customer.headers,
      auth: customer.headers,
      'super-admin': shop.operator.headers,
    };
    const paths: [path: string, headers: Readonly<Record<string, string>>][] = [];
    const markup = encodeURIComponent('"><img src=x onerror=__hit(0)><script>__hit(0)</script>');
    for (const { family, path, route } of shop.kernel.routes) {
      if (route.method !== 'GET' || path.startsWith('/api/v1')) continue;
      const headers = as[family as keyof typeof as] ?? {};
      const caller = family === 'admin' ? admin : family === 'super-admin' ? shop.operator : guest;
      paths.push([await filledPath(caller, path), headers]);
      paths.push([`${path.replace(/\{\w+\}/g, markup)}?q=${markup}&${markup}=1&sort=${markup}`, headers]);
    }
    for (const [i, id] of orders.entries())
      for (const format of i === 0 ? ['html', 'pdf'] : ['html'])
        paths.push(
          [`/api/admin/orders/${id}/packing-slip?format=${format}&prices=true`, staff.headers],
          [`/api/admin/orders/pick-list?format=${format}&orderIds=${id}`, staff.headers],
        );
    paths.push([`/${markup}`, {}], [`/api/admin/${markup}`, {}], [`/files/${markup}`, {}]);
    const stop = await shop.a.run('inventory', async (ctx) => unsubscribePath(ctx, uuidv7()));

    const types = new Map<string, number>();
    const count = (type = 'download'): void => void types.set(type, (types.get(type) ?? 0) + 1);
    const broken: string[] = [];
    const groups = Map.groupBy(paths, ([, headers]) => headers);
    for (const [headers, list] of groups)
      for (const { url, status, type, text } of await viewer.openAll(
        list.map(([path]) => base + path),
        { headers, wait: 20 },
      )) {
        count(type);
        if (status !== undefined && status >= 500 && status !== 501) broken.push(`${url}: ${status} ${text.slice(0, 200)}`);
      }
    // A page of the shop itself, under every name that the shop may have.
    for (const payload of sold) {
      await send(shop.operator, 'patch', `/api/super-admin/tenants/${shop.a.id}`, { name: within(payload, 200) });
      const look = await viewer.open(base + stop, { wait: 100, ask: 'document.title' });
      count(look.type);
      expect(look.answer).toBe(titleOf(within(payload, 200)));
    }
    console.info(
      `${paths.length + sold.length} documents opened: ${JSON.stringify([...types])}; ${JSON.stringify(viewer.deeds)}`,
    );
    expect(broken).toEqual([]);
    expect(types.get('text/html')).toBeGreaterThanOrEqual(sold.length * 3);
    expect(viewer.deeds).toEqual(none);
  }, 900_000);

  it('nor in any stored file, for any declared type', async () => {
    const watch = await openViewer();
    try {
      const urls = await uploaded();
      const looks = await watch.openAll(
        urls.map((url) => base + url),
        { wait: 200 },
      );
      console.info(`${urls.length} files opened: ${looks.map(({ type }) => type ?? 'download').join(', ')}`);
      const { errors, ...rest } = watch.deeds;
      expect({ ...rest, errors: [] }).toEqual(none);
      // The browser says what it has refused: the files are as bad as they should be.
      expect(errors.filter((line) => line.includes('.svg: Blocked script execution'))).not.toEqual([]);
      expect(errors.filter((line) => !/Content Security Policy|frame is sandboxed/.test(line))).toEqual([]);
    } finally {
      await watch.close();
    }
  }, 120_000);

  it('nor in any mail', async () => {
    await house.shop.settled(60);
    const mails = readMails(house.shop);
    const templates = await house.shop.rows<{ template: string; n: number }>(
      'select template, count(*)::int as n from core_mail where sent_at is not null group by template order by 1',
    );
    mails.forEach(({ html }, i) => {
      pages.set(`/mail/${i}`, html);
    });
    const looks = await viewer.openAll(
      mails.map((_, i) => `${pages.base}/mail/${i}`),
      {
        wait: 100,
        ask: "[...document.querySelectorAll('*')].map(({ localName }) => localName).filter((name) => !/^(html|head|meta|body|p|br|a)$/.test(name))",
      },
    );
    const said = looks.filter(({ text }) => /__hit\(|alert\(/.test(text));
    console.info(
      `${mails.length} e-mails, ${said.length} with markup as text: ${JSON.stringify(templates.map((t) => `${t.template} ${t.n}`))}`,
    );
    expect(said.length).toBeGreaterThanOrEqual(sold.length * 3 - 1);
    expect(looks.flatMap(({ answer }) => answer)).toEqual([]);
    for (const { headers } of mails) {
      const names = headers.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
      for (const once of ['from', 'to', 'subject']) expect(names.filter((name) => name === once)).toHaveLength(1);
      expect(names).not.toContain('bcc');
    }
    expect(viewer.deeds).toEqual(none);
  }, 600_000);

  /** Sells, and writes a payload into every other text that staff may change. */
  async function spread(): Promise<void> {
    const { data } = await send(admin, 'get', '/api/admin/shipping/methods/');
    const method = data.find(({ code }: Json) => code === 'flat-one').id;
    for (const payload of sold) orders.push(await sellMarkup({ admin, guest }, payload, products.get(payload.n), method));
    const [first, ...others] = orders;
    await send(admin, 'post', `/api/admin/orders/${first}/status`, { status: 'cancelled', reason: 'test' });
    for (const [i, id] of others.entries()) {
      const text = within(sold[i + 1] as Payload, 60);
      await send(admin, 'post', `/api/admin/orders/${id}/ship`, { trackingNumber: text, carrier: text });
    }
    await house.shop.settled();
    let [written, n] = [0, 0];
    const failed: string[] = [];
    for (const { method: verb, path, members } of bodies) {
      if (verb !== 'PATCH') continue;
      const free = members.filter(({ pointer, schema }: Member) => pointer.length === 1 && !schema.format && !schema.pattern);
      const filled = await filledPath(admin, path);
      for (const { pointer, schema } of free) {
        const text = within(payloads[n++ % payloads.length] as Payload, schema.maxLength ?? 200);
        const { status } = await admin.patch(filled, { [pointer[0] as string]: text });
        if (status < 300) written++;
        if (status >= 500) failed.push(`${path} ${pointer}: ${status}`);
      }
    }
    console.info(`${written} of ${n} texts of other things took markup`);
    expect(failed).toEqual([]);
  }

  /** URLs of uploaded files of all kinds, and of some that only plugins store. */
  async function uploaded(): Promise<string[]> {
    const { shop } = house;
    const script = '<script>__hit(0)</script>';
    const urls: string[] = [];
    for (const [purpose, bytes, as] of [
      ['image', Buffer.concat([await pngOf(4, 4), Buffer.from(script)]), { name: 'a.html', type: 'text/html' }],
      ['document', Buffer.from(`${script} plain`), { name: 'a.html', type: 'text/html' }],
      ['document', Buffer.from(`x ${script}`), { name: 'a.svg', type: 'image/svg+xml' }],
      ['document', Buffer.from(pdf), { name: 'a.pdf', type: 'application/pdf' }],
    ] as const) {
      const { status, body } = await uploadOf(admin, purpose, bytes, as);
      if (status === 201 && body.url) urls.push(body.url);
    }
    expect(urls.length).toBeGreaterThanOrEqual(3);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="__hit(0)"><script>__hit(0)</script><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="__hit(0)"/></foreignObject></svg>`;
    for (const [name, contentType, text] of [
      ['a.svg', 'image/svg+xml', svg],
      ['a.html', 'text/html', script],
      ['a.xhtml', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`],
      ['a.xml', 'text/xml', `<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>__hit(0)</h:script></x>`],
      ['a', 'text/html; charset=utf-7', script],
      ['a.ics', 'text/calendar', `BEGIN:VCALENDAR\r\nX:${script}\r\nEND:VCALENDAR\r\n`],
    ] as const) {
      const stored = await shop.a.run('workspace', (ctx) =>
        ctx.require(files).put(Buffer.from(text), { name, contentType, public: true }),
      );
      urls.push(`/files/${stored.key}`);
    }
    return urls;
  }
});

/** As HTML shows it in the title of a page. */
const titleOf = (text: string): string => text.trim().replace(/[\t\n\f\r ]+/g, ' ');

/** A document that opens a dialog with its first page, where its reader lets it. */
const pdf = `%PDF-1.7
1 0 obj
<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>
endobj
2 0 obj
<</Type/Pages/Kids[3 0 R]/Count 1>>
endobj
3 0 obj
<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>
endobj
trailer
<</Root 1 0 R>>
`;

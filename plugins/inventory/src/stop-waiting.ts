import { timingSafeEqual } from 'node:crypto';
import { type Ctx, f, file, notFound, route, uuidPattern } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { backInStock } from './back-in-stock.ts';

const path = '/back-in-stock/stop';
const signature = (ctx: Ctx, id: string): string => ctx.sign('inventory.back-in-stock', `${ctx.tenant.id} ${id}`);

/** Path of the page that ends the waiting, for mails. */
export function stopLink(ctx: Ctx, id: string): string {
  return `/api/storefront${path}?token=${id}.${signature(ctx, id)}`;
}

/**
 * Opened from a mail. The first page only asks: programs that follow the links of mails must not stop anything. Its own link does, for
 * everything that the address waits for. Again: the same answer.
 */
export const stopWaiting = route(
  'GET',
  path,
  {
    summary: 'The page behind the link of a back-in-stock mail',
    additive: true,
    writes: true,
    query: { token: f.text({ max: 200 }), confirm: f.bool().default(false) },
    produces: 'text/html',
    rateLimit: { points: 60, seconds: 600 },
  },
  async (ctx, req) => {
    const { token, confirm } = req.query;
    const id = token.slice(0, 36);
    const given = Buffer.from(token.slice(37));
    const expected = Buffer.from(uuidPattern.test(id) ? signature(ctx, id) : '');
    if (token[36] !== '.' || given.length !== expected.length || !timingSafeEqual(given, expected)) throw notFound();
    if (!confirm) return page(ctx, 'stop.ask', `${req.url.split('?', 1)[0]}?token=${encodeURIComponent(token)}&confirm=true`);
    const row = await ctx.rows(backInStock).get(id);
    if (row) await ctx.rows(backInStock).removeWhere({ email: row.email });
    return page(ctx, 'stop.done');
  },
);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] as string);

function page(ctx: Ctx, key: 'stop.ask' | 'stop.done', link?: string) {
  const texts = ctx.locale.startsWith('ro') ? ro : en;
  const button =
    link === undefined ? '' : `<p><a rel="nofollow" href="${escaped(link)}">${escaped(texts['stop.confirm'])}</a></p>`;
  const html = `<!doctype html>
<html lang="${escaped(ctx.locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escaped(ctx.tenant.name)}</title></head>
<body><main><h1>${escaped(ctx.tenant.name)}</h1><p>${escaped(texts[key])}</p>${button}</main></body></html>
`;
  return file(html, { type: 'text/html; charset=utf-8' });
}

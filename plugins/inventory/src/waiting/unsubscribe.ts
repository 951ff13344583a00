import { type Ctx, f, file, notFound, route, uuidPattern } from '@storeloom/plugin-sdk';
import { equalSecrets, escapeHtml } from '@storeloom/plugin-sdk/public';
import en from '../../locales/en.json' with { type: 'json' };
import ro from '../../locales/ro.json' with { type: 'json' };
import { backInStock } from './back-in-stock.ts';

const path = '/back-in-stock/stop';
const signature = (ctx: Ctx, id: string): string => ctx.sign('inventory.back-in-stock', `${ctx.tenant.id} ${id}`);

/** Path of the unsubscribe page, for e-mails. */
export function unsubscribePath(ctx: Ctx, id: string): string {
  return `/api/storefront${path}?token=${id}.${signature(ctx, id)}`;
}

/**
 * Opened from an e-mail. Link scanners follow links of e-mails, so the first page only asks for confirmation; its link removes all
 * requests of the address. Idempotent.
 */
export const unsubscribe = route(
  'GET',
  path,
  {
    summary: 'Unsubscribe page of back-in-stock e-mails',
    additive: true,
    writes: true,
    query: { token: f.text({ max: 200 }), confirm: f.bool().default(false) },
    produces: 'text/html',
    rateLimit: { points: 60, seconds: 600 },
  },
  async (ctx, req) => {
    const { token, confirm } = req.query;
    const id = token.slice(0, 36);
    if (token[36] !== '.' || !uuidPattern.test(id) || !equalSecrets(token.slice(37), signature(ctx, id))) throw notFound();
    if (!confirm) return page(ctx, 'stop.ask', `${req.url.split('?', 1)[0]}?token=${encodeURIComponent(token)}&confirm=true`);
    const row = await ctx.rows(backInStock).get(id);
    if (row) await ctx.rows(backInStock).removeWhere({ email: row.email });
    return page(ctx, 'stop.done');
  },
);

function page(ctx: Ctx, key: 'stop.ask' | 'stop.done', link?: string) {
  const texts = ctx.locale.startsWith('ro') ? ro : en;
  const button =
    link === undefined ? '' : `<p><a rel="nofollow" href="${escapeHtml(link)}">${escapeHtml(texts['stop.confirm'])}</a></p>`;
  const html = `<!doctype html>
<html lang="${escapeHtml(ctx.locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(ctx.tenant.name)}</title></head>
<body><main><h1>${escapeHtml(ctx.tenant.name)}</h1><p>${escapeHtml(texts[key])}</p>${button}</main></body></html>
`;
  return file(html, { type: 'text/html; charset=utf-8' });
}

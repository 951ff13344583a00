import { Problem } from '@storeloom/plugin-sdk';

export interface Target {
  /** Path for route matching: no trailing slash, still percent-encoded. */
  path: string;
  query: URLSearchParams;
}

/** Parses the request target. Invalid percent-encoding, NUL, backslash and `..` segments are 400. */
export function readTarget(raw: string): Target {
  let target = raw;
  if (!target.startsWith('/')) {
    if (!/^https?:\/\//i.test(target) || !URL.canParse(target))
      throw new Problem('malformed_request', { detail: 'The request target is neither a path nor a URL.' });
    const url = new URL(target);
    target = url.pathname + url.search;
  }
  const mark = target.indexOf('?');
  let path = mark === -1 ? target : target.slice(0, mark);
  const search = mark === -1 ? '' : target.slice(mark + 1);
  if (path.includes('%') || path.includes('\\') || path.includes('..')) {
    let decoded: string;
    try {
      decoded = decodeURIComponent(path);
    } catch {
      throw new Problem('malformed_request', { detail: 'The path has an invalid percent-encoding.' });
    }
    if (decoded.includes('\0') || decoded.includes('\\') || decoded.split('/').includes('..'))
      throw new Problem('malformed_request', { detail: 'The path contains NUL, a backslash or a `..` segment.' });
  }
  if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1);
  if (search.includes('%')) {
    try {
      decodeURIComponent(search.replace(/\+/g, ' '));
    } catch {
      throw new Problem('malformed_request', { detail: 'The query has an invalid percent-encoding.' });
    }
    if (/%00/i.test(search)) throw new Problem('malformed_request', { detail: 'The query contains a NUL character.' });
  }
  return { path, query: new URLSearchParams(search) };
}

export function parseCookies(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=');
    if (at === -1) continue;
    const name = part.slice(0, at).trim();
    if (name && !(name in cookies))
      cookies[name] = part
        .slice(at + 1)
        .trim()
        .replace(/^"|"$/g, '');
  }
  return cookies;
}

/** Picks the tenant's locale that the caller prefers most (RFC 9110 `q` values); the default if none matches. */
export function pickLocale(header: string | undefined, locales: readonly string[], fallback: string): string {
  if (!header) return fallback;
  const wanted = header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.map((p) => /^\s*q=([\d.]+)$/.exec(p)?.[1]).find((q) => q !== undefined);
      return { tag: tag.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) || 0 };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { tag } of wanted) {
    const exact = locales.find((locale) => locale.toLowerCase() === tag);
    if (exact) return exact;
    const base = locales.find((locale) => locale.toLowerCase().split('-')[0] === tag.split('-')[0]);
    if (base) return base;
  }
  return fallback;
}

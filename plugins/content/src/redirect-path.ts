/** Only for reading: nothing is asked of this host. */
const nowhere = 'http://shop.invalid';

/**
 * A path as redirects know it: percent-encoded the one way, no doubled or trailing slash. Undefined for what is no path of the shop, or
 * has a query or fragment.
 */
export function normalPath(text: string): string | undefined {
  if (!text.startsWith('/') || /[\\?#\s]/.test(text)) return undefined;
  const squeezed = text.replace(/\/{2,}/g, '/');
  if (!URL.canParse(squeezed, nowhere)) return undefined;
  const url = new URL(squeezed, nowhere);
  if (url.origin !== nowhere) return undefined;
  try {
    // One spelling a path: what needs no encoding has none.
    const decoded = decodeURIComponent(url.pathname);
    if (/[\0\\?#]/.test(decoded)) return undefined;
    const path = encodeURI(decoded);
    return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
  } catch {
    return undefined;
  }
}

/** Where a redirect leads: a path of the shop with query and fragment, or an address of another host. The shop's own hosts become paths. */
export function normalTarget(text: string, hosts: readonly string[]): string | undefined {
  if (/[\\\s]/.test(text) || text.startsWith('//')) return undefined;
  const local = text.startsWith('/');
  if (!local && !/^https?:\/\//i.test(text)) return undefined;
  if (!URL.canParse(text, nowhere)) return undefined;
  const url = new URL(text, nowhere);
  if (url.username !== '' || url.password !== '') return undefined;
  if (!local && !hosts.includes(url.hostname)) return url.href;
  const path = normalPath(url.pathname);
  return path === undefined ? undefined : path + url.search + url.hash;
}

/** Converts a name to snake_case: `gift-cards.card` → `gift_cards_card`; `unitPrice` → `unit_price`. */
export function snake(name: string): string {
  let known = snakes.get(name);
  if (known === undefined) {
    known = name
      .replace(/[.-]/g, '_')
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toLowerCase();
    if (snakes.size < mostSnakes) snakes.set(name, known);
  }
  return known;
}
/** Limit of the cache: names come from code, but a caller can pass any text. */
const mostSnakes = 10_000;
const snakes = new Map<string, string>();

/** Converts a name to camelCase: `unit_price` → `unitPrice`. */
export function camel(name: string): string {
  return name.replace(/[_-]([a-z0-9])/g, (_, c: string) => c.toUpperCase());
}

/**
 * Returns a slug of any text: diacritics removed, words of `[a-z0-9]` joined by `-`, at most 120 characters. Empty if no letter
 * or digit remains.
 */
export function slugify(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, 120).replace(/-+$/, '');
}

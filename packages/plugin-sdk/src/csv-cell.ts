/**
 * A spreadsheet runs a cell as a formula if it begins with one of these, also after white space or a byte order mark, and in full-width
 * form. A leading `'` is escaped too, so that unescaping is unambiguous. OWASP, CSV Injection.
 */
const formula = /^[\s\uFEFF]*[=+\-@\t\r'＝＋－＠]/u;
const plainNumber = /^[+-]?\d[\d., ]*$/;
/** Where a reader with another separator, or without support for quotes, starts a cell: after separators, quotes and line breaks. */
const inside = /(?<![\s\uFEFF,;|"])([\s\uFEFF,;|"]+)('*)(?=[=+\-@＝＋－＠])/gu;
const begins = /[,;|"\t\r\n]/;

/**
 * Escapes text for a cell of a CSV file: inserts a `'` wherever a spreadsheet, with any separator, could start a formula
 * (OWASP, CSV Injection). Numbers stay as they are. Quote the cell for the file as CSV writers do. `unescapeCsvCell` reverses it.
 */
export function escapeCsvCell(text: string): string {
  const safe = text.replace(inside, (all, between: string) => (begins.test(between) ? `${all}'` : all));
  return formula.test(safe) && !plainNumber.test(safe) ? `'${safe}` : safe;
}

/** Returns the text that `escapeCsvCell` escaped: removes exactly one `'` in each of those places. */
export function unescapeCsvCell(cell: string): string {
  const safe = cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;
  return safe.replace(inside, (all, between: string, marks: string) =>
    marks !== '' && begins.test(between) ? all.slice(0, -1) : all,
  );
}

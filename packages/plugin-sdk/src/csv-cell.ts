/**
 * Spreadsheets run a cell as a formula when it begins with one of these. White space and a byte order mark before them don't count for a
 * spreadsheet, and full-width forms do. What begins with `'` is marked too, so that a reader can tell. OWASP, CSV Injection.
 */
const formula = /^[\s\uFEFF]*[=+\-@\t\r'＝＋－＠]/u;
const plainNumber = /^[+-]?\d[\d., ]*$/;
/** Where a reader that splits at another sign, or doesn't know the quotes, would begin a cell: separators, quotes and line breaks. */
const inside = /(?<![\s\uFEFF,;|"])([\s\uFEFF,;|"]+)('*)(?=[=+\-@＝＋－＠])/gu;
const begins = /[,;|"\t\r\n]/;

/**
 * Escapes text for a cell of a CSV file: inserts a `'` wherever a spreadsheet, whatever separator it uses, could start a formula
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

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
 * A text for a cell of a CSV file: every place where a spreadsheet, whatever it splits at, could see a formula gets a `'`. Numbers stay.
 * The cell must still be quoted for the file, as CSV writers do. `unescapeCsvCell` gives the text back.
 */
export function escapeCsvCell(text: string): string {
  const safe = text.replace(inside, (all, between: string) => (begins.test(between) ? `${all}'` : all));
  return formula.test(safe) && !plainNumber.test(safe) ? `'${safe}` : safe;
}

/** The text of a cell that `escapeCsvCell` made: exactly one `'` is taken off in each of those places. */
export function unescapeCsvCell(cell: string): string {
  const safe = cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;
  return safe.replace(inside, (all, between: string, marks: string) =>
    marks !== '' && begins.test(between) ? all.slice(0, -1) : all,
  );
}

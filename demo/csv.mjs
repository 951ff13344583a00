// A small RFC 4180 parser for the tools in this folder. The product's import has a streaming parser.

/** Reads CSV text into rows of strings. Throws on an unclosed quote. */
function rowsOf(text) {
  const rows = [];
  let row = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const ch = text[i];
    if (quoted) {
      if (ch !== '"') cell += ch;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (ch === '"' && cell === '') quoted = true;
    else if (ch === ',') {
      row.push(cell);
      cell = '';
    } else if (ch === '\n') {
      row.push(cell.replace(/\r$/, ''));
      rows.push(row);
      row = [];
      cell = '';
    } else cell += ch;
  }
  if (quoted) throw new Error('unclosed quote');
  if (cell !== '' || row.length) rows.push([...row, cell]);
  return rows;
}

/** Returns the rows as objects with the header's names; `line` counts from 1, including the header. */
export function recordsOf(text) {
  const [head, ...rest] = rowsOf(text);
  return {
    head,
    records: rest.map((cells, i) => ({
      line: i + 2,
      width: cells.length,
      ...Object.fromEntries(head.map((h, k) => [h, cells[k] ?? ''])),
    })),
  };
}

/** Returns rows of strings as CSV text. */
export function toCsv(rows) {
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Rows of a CSV file as RFC 4180 has them, where every line break outside quotes ends a record: CRLF, LF or CR, as spreadsheets read it. */
export function strictCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [whole, quoted, plain = ''] = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))/y.exec(text.slice(at)) as unknown as [
      string,
      string?,
      string?,
    ];
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += whole.length;
    const [end] = /^(?:,|\r\n|\r|\n|$)/.exec(text.slice(at, at + 2)) ?? [];
    if (end === undefined) throw new Error(`neither a comma nor a line break at ${at}: ${text.slice(at, at + 20)}`);
    at += end.length;
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

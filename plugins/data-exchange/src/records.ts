import { Readable } from 'node:stream';
import { problem } from '@storeloom/plugin-sdk';
import { CsvError, parse } from 'csv-parse';

/** A row of a CSV file by column name, with the line it begins on. */
export interface CsvRow {
  line: number;
  cells: Record<string, string>;
}
/** A row that could not be read. */
export interface BadRow {
  line: number;
  fault: string;
}

const maxRows = 100_000;
const maxHeader = 64 * 1024;

/** The delimiter that the header row uses most. */
function detect(header: string): string {
  const count = (delimiter: string): number => header.split(delimiter).length;
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] as string;
}

async function headerOf(source: AsyncIterable<Buffer>): Promise<{ first: Buffer; rest: AsyncIterator<Buffer> }> {
  const rest = source[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (!first.includes(10) && first.length < maxHeader) {
    const { value, done } = await rest.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  return { first, rest };
}

/**
 * Streams the rows of a CSV file: UTF-8 with or without BOM, LF or CRLF, comma, semicolon or tab. `checkHeader` receives the column names before
 * any row, also of a file without rows. `textOf` unescapes a cell.
 * @throws `malformed_request` for a file that isn't text, or has no header row
 */
export async function* readRows(
  source: Readable | Buffer,
  checkHeader: (columns: readonly string[]) => void,
  textOf: (cell: string) => string,
): AsyncIterable<CsvRow | BadRow> {
  const bytes: AsyncIterable<Buffer> = Buffer.isBuffer(source) ? Readable.from([source]) : source;
  const { first, rest } = await headerOf(bytes);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk: Buffer | undefined, last: boolean): string => {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: !last });
    } catch {
      throw problem('malformed_request', { detail: 'The file is not valid UTF-8.' });
    }
    if (text.includes('\0'))
      throw problem('malformed_request', { detail: "The file contains a NUL character and isn't a text file." });
    return text;
  };
  async function* texts(): AsyncIterable<string> {
    yield decode(first, false);
    for (;;) {
      const { value, done } = await rest.next();
      if (done) break;
      yield decode(value, false);
    }
    yield decode(undefined, true);
  }
  const header = first.toString('utf8').split(/\r?\n/, 1)[0] ?? '';
  const parser = parse({
    delimiter: detect(header),
    bom: true,
    relax_column_count: true,
    // An inch sign inside a cell (`TV 55" OLED`) is text.
    relax_quotes: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: 1_000_000,
  });
  // A pipe doesn't pass errors on: a file that can't be decoded must end the parser too.
  const input = Readable.from(texts());
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  let columns: string[] | undefined;
  let rows = 0;
  let line = 1;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const begins = line;
      line = info.lines + 1;
      if (!columns) {
        columns = record.map((name) => name.trim());
        if (columns.every((name) => name === '')) throw noHeader();
        checkHeader(columns);
        continue;
      }
      if (++rows > maxRows) throw problem('payload_too_large', { detail: `The file has more than ${maxRows} rows. Split it.` });
      if (record.length > columns.length && record.slice(columns.length).some((cell) => cell !== '')) {
        yield { line: begins, fault: `has ${record.length} cells, the header has ${columns.length}` };
        continue;
      }
      const cells: Record<string, string> = Object.create(null) as Record<string, string>;
      for (const [i, name] of columns.entries()) cells[name] = textOf(record[i] ?? '');
      yield { line: begins, cells };
    }
    if (!columns) throw noHeader();
  } catch (error) {
    if (error instanceof CsvError) throw problem('malformed_request', { detail: `The file isn't valid CSV near line ${line}.` });
    throw error;
  }
}

const noHeader = (): Error => problem('malformed_request', { detail: 'The file has no header row.' });

export const isBad = (row: CsvRow | BadRow): row is BadRow => 'fault' in row;

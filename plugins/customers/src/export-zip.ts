import { escapeCsvCell } from '@storeloom/plugin-sdk';
import { stringify } from 'csv-stringify/sync';
import { ZipFile } from 'yazl';

/** A cell of a table: nested values as JSON, formulas disarmed. */
function cell(value: unknown): string {
  return escapeCsvCell(
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value),
  );
}

/** Converts records to a table with a column for each of their properties. */
export function tableOf(rows: readonly Record<string, unknown>[]): string {
  const columns = [...new Set(rows.flatMap((each) => Object.keys(each)))];
  const lines = [columns, ...rows.map((each) => columns.map((column) => cell(each[column])))];
  // A lone line break ends a record for many readers too: quoted, it is a part of its cell.
  return stringify(lines, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });
}

/** The document as it is, a table a resource, and the files. */
export async function zipOf(
  document: { data: Readonly<Record<string, readonly Record<string, unknown>[]>> },
  attachments: readonly { name: string; content: Buffer }[],
): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(JSON.stringify(document, null, 2)), 'data.json');
  for (const [resource, rows] of Object.entries(document.data)) zip.addBuffer(Buffer.from(tableOf(rows)), `${resource}.csv`);
  const taken = new Set<string>();
  for (const [i, { name, content }] of attachments.entries()) {
    const plain = name.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^\.+/, '_');
    const own = taken.has(plain) ? `${i}-${plain}` : plain;
    taken.add(own);
    zip.addBuffer(content, `files/${own}`);
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

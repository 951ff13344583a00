import { type FileReply, file } from '@storeloom/plugin-sdk';
import { escapeHtml } from '@storeloom/plugin-sdk/public';
import { block, type Column, createPdf, page, table } from '../pdf.ts';
import type { Texts } from '../texts.ts';

/** A warehouse document (packing slip, pick list). */
export interface WarehouseDocument {
  title: string;
  facts: string[];
  blocks: { title: string; lines: string[] }[];
  tables: { title: string | null; columns: Column[]; rows: string[][] }[];
  note: string | null;
}
export interface RenderOptions {
  locale: string;
  author: string;
  at: string;
  t: Texts;
}

const lines = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .map(escapeHtml)
    .join('<br>');

function paperHtml(paper: WarehouseDocument, { locale }: Pick<RenderOptions, 'locale'>): string {
  const tables = paper.tables.map(({ title, columns, rows }) => {
    const cell = (tag: 'th' | 'td') => (text: string, i: number) =>
      `<${tag}${columns[i]?.align === 'right' ? ' class="r"' : ''}>${lines(text.split('\n'))}</${tag}>`;
    const body = rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`).join('\n');
    return `${title === null ? '' : `<h2>${escapeHtml(title)}</h2>\n`}<table>\n<thead><tr>${columns
      .map((column) => column.title)
      .map(cell('th'))
      .join('')}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
  });
  return `<!doctype html>
<html lang="${escapeHtml(locale)}">
<head><meta charset="utf-8"><title>${escapeHtml(paper.title)}</title>
<style>body{font:14px/1.4 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border-bottom:1px solid #999;padding:.3rem;text-align:left;vertical-align:top}.r{text-align:right}section{display:inline-block;width:45%;vertical-align:top}</style></head>
<body>
<h1>${escapeHtml(paper.title)}</h1>
<p>${lines(paper.facts)}</p>
${paper.blocks.map((each) => `<section><h3>${escapeHtml(each.title)}</h3><p>${lines(each.lines)}</p></section>`).join('\n')}
${tables.join('\n')}
${paper.note === null ? '' : `<p>${lines(paper.note.split('\n'))}</p>`}
</body>
</html>
`;
}

function paperPdf(paper: WarehouseDocument, { locale, author, at, t }: RenderOptions): Promise<Buffer> {
  const footer = (current: number, all: number): string => `${paper.title} · ${t('pdf.page', { current, all })}`;
  return createPdf({ title: paper.title, locale, author, at, footer }, (pdf) => {
    pdf.font('bold').fontSize(16).text(paper.title, page.margin, page.margin);
    pdf.font('regular').fontSize(9);
    for (const fact of paper.facts) if (fact !== '') pdf.text(fact);
    pdf.moveDown();
    const { y } = pdf;
    const width = page.width / 2 - 10;
    const heights = paper.blocks.map((each, i) => block(pdf, page.margin + i * (width + 20), y, width, each.title, each.lines));
    pdf.x = page.margin;
    pdf.y = y + Math.max(0, ...heights) + 10;
    for (const each of paper.tables) {
      if (each.title !== null) pdf.moveDown().font('bold').fontSize(10).text(each.title, page.margin);
      table(pdf, each.columns, each.rows);
    }
    if (paper.note !== null) pdf.moveDown().font('regular').fontSize(9).text(paper.note, page.margin);
  });
}

/** `?format=pdf` (default) or `html`. */
export async function warehouseDocumentReply(
  paper: WarehouseDocument,
  format: 'pdf' | 'html',
  name: string,
  options: RenderOptions,
): Promise<FileReply> {
  if (format === 'html') return file(paperHtml(paper, options), { type: 'text/html; charset=utf-8' });
  return file(await paperPdf(paper, options), { type: 'application/pdf', name: `${name}.pdf` });
}

import { fileURLToPath } from 'node:url';

const font = (name: string): string => fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
const fonts = { regular: font('DejaVuSans'), bold: font('DejaVuSans-Bold') };

export type Pdf = PDFKit.PDFDocument;
export interface Column {
  title: string;
  width: number;
  align?: 'left' | 'right';
}
export const page = { margin: 40, width: 595.28 - 80, bottom: 841.89 - 60 };

export interface PdfOptions {
  title: string;
  locale: string;
  author: string;
  /** Creation date. The same instant gives the same bytes. */
  at: string;
  /** `Page 1 of 2`. */
  footer(current: number, all: number): string;
}

/** Creates an A4 document with embedded fonts (ă â î ș ț), language and title. */
export async function createPdf(options: PdfOptions, draw: (pdf: Pdf) => void): Promise<Buffer> {
  // Loaded on demand: its font parsers take longer to load than the rest of the plugin.
  const { default: Document } = await import('pdfkit');
  return new Promise((resolve, reject) => {
    const date = new Date(options.at);
    const pdf = new Document({
      size: 'A4',
      margin: page.margin,
      bufferPages: true,
      lang: options.locale,
      displayTitle: true,
      info: { Title: options.title, Author: options.author, CreationDate: date, ModDate: date },
    });
    const chunks: Buffer[] = [];
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
    pdf.registerFont('regular', fonts.regular);
    pdf.registerFont('bold', fonts.bold);
    pdf.font('regular').fontSize(9);
    draw(pdf);
    const { count } = pdf.bufferedPageRange();
    for (let i = 0; i < count; i++) {
      pdf.switchToPage(i);
      // Text below the bottom margin would start another page.
      pdf.page.margins.bottom = 0;
      pdf.font('regular').fontSize(8);
      pdf.text(options.footer(i + 1, count), page.margin, 841.89 - 40, { width: page.width, align: 'center', lineBreak: false });
    }
    pdf.end();
  });
}

/** Draws a block of lines, without empty ones. Returns its height. */
export function block(pdf: Pdf, x: number, y: number, width: number, title: string, lines: readonly (string | null)[]): number {
  pdf.font('bold').fontSize(8).text(title, x, y, { width });
  pdf.font('regular').fontSize(9);
  for (const line of lines) if (line) pdf.text(line, { width });
  return pdf.y - y;
}

/** Draws a table that repeats its header on each page. */
export function table(pdf: Pdf, columns: readonly Column[], rows: readonly (readonly string[])[]): void {
  const cells = (values: readonly string[], style: 'regular' | 'bold'): void => {
    pdf.font(style).fontSize(8);
    const height = Math.max(...values.map((value, i) => pdf.heightOfString(value, { width: (columns[i] as Column).width - 6 })));
    if (pdf.y + height + 6 > page.bottom) {
      pdf.addPage();
      if (style === 'regular') head();
    }
    const y = pdf.y + 3;
    let x = page.margin;
    for (const [i, value] of values.entries()) {
      const { width, align = 'left' } = columns[i] as Column;
      pdf
        .font(style)
        .fontSize(8)
        .text(value, x + 3, y, { width: width - 6, align });
      x += width;
    }
    pdf.y = y + height + 3;
    pdf.x = page.margin;
    pdf
      .moveTo(page.margin, pdf.y)
      .lineTo(page.margin + page.width, pdf.y)
      .lineWidth(style === 'bold' ? 1 : 0.3)
      .stroke('#888888');
    pdf.fillColor('#000000');
  };
  const head = (): void =>
    cells(
      columns.map((column) => column.title),
      'bold',
    );
  head();
  for (const row of rows) cells(row, 'regular');
}

/** Draws right-aligned labels and amounts. */
export function sums(pdf: Pdf, rows: readonly { label: string; value: string; strong?: boolean }[]): void {
  for (const { label, value, strong } of rows) {
    if (pdf.y + 14 > page.bottom) pdf.addPage();
    const { y } = pdf;
    pdf.font(strong ? 'bold' : 'regular').fontSize(9);
    pdf.text(label, page.margin + page.width - 300, y, { width: 180, align: 'right' });
    pdf.text(value, page.margin + page.width - 115, y, { width: 115, align: 'right' });
    pdf.y = y + 14;
    pdf.x = page.margin;
  }
}

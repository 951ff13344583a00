import { formatMoney, money, mulRatio } from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';
import { block, createPdf, type Pdf, page, sums, table } from '../pdf.ts';
import { type Texts, textsOf } from '../texts.ts';
import type { DocumentLine, OrderDocument } from './document.ts';

const percent = (ratePpm: number, locale: string): string =>
  `${new Intl.NumberFormat(locale, { maximumFractionDigits: 4 }).format(ratePpm / 10_000)} %`;

function addressLines(address: Omit<Address, 'email' | 'phone' | 'vatId'>): string[] {
  const place = [address.postalCode, address.city].filter((part) => part !== '').join(' ');
  return [address.line1, address.line2 ?? '', [place, address.region].filter(Boolean).join(', '), address.country];
}

/** Address lines of a party: the company before the person. */
export function partyLines(address: Address, t: Texts): string[] {
  const person = `${address.firstName} ${address.lastName}`.trim();
  return [
    address.company ?? person,
    address.company === null ? '' : person,
    address.vatId === null ? '' : `${t('pdf.vatId')}: ${address.vatId}`,
    ...addressLines(address),
  ];
}

function sellerLines({ seller }: OrderDocument, t: Texts): string[] {
  return [
    seller.name,
    seller.vatId === null ? '' : `${t('pdf.vatId')}: ${seller.vatId}`,
    seller.regNo === null ? '' : `${t('pdf.regNo')}: ${seller.regNo}`,
    ...(seller.address ? addressLines({ ...seller.address, firstName: '', lastName: '', company: null }) : []),
    seller.email ?? '',
    seller.phone ?? '',
    seller.iban === null ? '' : `IBAN: ${seller.iban}${seller.bank === null ? '' : `, ${seller.bank}`}`,
  ];
}

function title(line: DocumentLine, t: Texts): string {
  const fallback = line.kind === 'shipping' ? t('pdf.shipping') : t('pdf.other');
  return `${line.title === '' ? fallback : line.title}${line.sku === null ? '' : `\n${line.sku}`}`;
}

function head(pdf: Pdf, document: OrderDocument, t: Texts): void {
  pdf
    .font('bold')
    .fontSize(16)
    .text(t(`pdf.${document.kind}`), page.margin, page.margin);
  pdf.font('regular').fontSize(10).text(document.number);
  pdf.moveDown(0.5).fontSize(9);
  const facts: [string, string | null][] = [
    [t('pdf.issueDate'), document.issueDate],
    [t('pdf.supplyDate'), document.kind === 'invoice' ? document.supplyDate : null],
    [t('pdf.dueDate'), document.dueDate],
    [t('pdf.order'), `${document.order.number} (${document.order.date})`],
    [t('pdf.poNumber'), document.order.poNumber],
    [t('pdf.corrects'), document.original && `${document.original.number} (${document.original.issueDate})`],
    [t('pdf.reason'), document.kind === 'credit_note' ? document.reason : null],
  ];
  for (const [label, value] of facts) if (value) pdf.text(`${label}: ${value}`);
  pdf.moveDown();
  const y = pdf.y;
  const width = page.width / 2 - 10;
  const left = block(pdf, page.margin, y, width, t('pdf.seller'), sellerLines(document, t));
  const right = block(pdf, page.margin + width + 20, y, width, t('pdf.buyer'), partyLines(document.buyer, t));
  pdf.x = page.margin;
  pdf.y = y + Math.max(left, right) + 12;
}

/** Renders a document. The same document gives the same bytes. */
export function invoicePdf(document: OrderDocument, issuedAt: string): Promise<Buffer> {
  const t = textsOf(document.locale);
  const show = (amount: number): string => formatMoney(money(amount, document.currency), document.locale);
  const name = `${t(`pdf.${document.kind}`)} ${document.number}`;
  const options = {
    title: name,
    locale: document.locale,
    author: document.seller.name,
    at: issuedAt,
    footer: (current: number, all: number) => `${name} · ${t('pdf.page', { current, all })}`,
  };
  return createPdf(options, (pdf) => {
    head(pdf, document, t);
    table(
      pdf,
      [
        { title: t('pdf.item'), width: 170 },
        { title: t('pdf.quantity'), width: 58, align: 'right' },
        { title: t('pdf.unitNet'), width: 82, align: 'right' },
        { title: t('pdf.rate'), width: 45, align: 'right' },
        { title: t('pdf.net'), width: 80, align: 'right' },
        { title: t('pdf.gross'), width: 80.28, align: 'right' },
      ],
      document.lines.map((line) => [
        title(line, t),
        line.quantity === null ? '' : String(line.quantity),
        // Invoices must state the net unit price after discounts (Directive 2006/112/EC, Article 226 (8)).
        line.quantity === null ? '' : show(mulRatio(line.net, 1, line.quantity)),
        percent(line.ratePpm, document.locale),
        show(line.net),
        show(line.gross),
      ]),
    );
    pdf.moveDown();
    const taxes = document.taxSummary.map((row) => ({
      label: t('pdf.taxOf', { rate: percent(row.ratePpm, document.locale), base: show(row.base) }),
      value: show(row.tax),
    }));
    sums(pdf, [
      { label: t('pdf.net'), value: show(document.net) },
      ...taxes,
      ...(document.roundingAmount === 0 ? [] : [{ label: t('pdf.rounding'), value: show(document.roundingAmount) }]),
      { label: t('pdf.total'), value: show(document.total), strong: true },
      ...(document.kind === 'credit_note'
        ? []
        : [
            { label: t('pdf.paid'), value: show(document.paid) },
            { label: t('pdf.amountDue'), value: show(document.amountDue), strong: true },
          ]),
    ]);
    const { fx } = document;
    if (fx) {
      const tax = formatMoney(money(fx.tax, fx.baseCurrency), document.locale);
      pdf
        .moveDown()
        .font('regular')
        .fontSize(8)
        .text(t('pdf.fx', { tax, rate: fx.rate, base: fx.baseCurrency, currency: document.currency }));
    }
    if (document.taxReason) pdf.moveDown().font('regular').fontSize(8).text(document.taxReason);
    if (document.kind === 'proforma') pdf.moveDown().font('regular').fontSize(8).text(t('pdf.proformaNote'));
  });
}

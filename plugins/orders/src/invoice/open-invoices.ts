import { allocate, type InvoiceFigures, type InvoiceLine, mulRatio, summarizeTax } from '@storeloom/plugin-sdk/money';
import { sumOf } from '../sum.ts';

export interface Booked extends Pick<InvoiceFigures, 'lines' | 'taxSummary' | 'net' | 'tax' | 'roundingAmount' | 'total'> {
  kind: 'invoice' | 'credit_note';
}

type Row = InvoiceFigures['taxSummary'][number];

/** What is left to credit of an invoice. Minor units. */
export interface OpenInvoice<Id> {
  invoice: Id;
  rows: Row[];
  roundingAmount: number;
  total: number;
}
interface Note<Id> {
  invoice: Id;
  figures: InvoiceFigures;
}

export const rateKey = ({ ratePpm, categoryCode }: Pick<Row, 'ratePpm' | 'categoryCode'>): string => `${ratePpm} ${categoryCode}`;
const grossOf = ({ base, tax }: Pick<Row, 'base' | 'tax'>): number => base + tax;

/** The open amounts of an invoice: itself less its credit notes. */
export function openInvoice<Id>(invoice: Id, documents: readonly Booked[]): OpenInvoice<Id> {
  const signed = documents.map((document) => ({ document, sign: document.kind === 'invoice' ? 1 : -1 }));
  return {
    invoice,
    rows: summarizeTax(
      signed.flatMap(({ document, sign }) =>
        document.taxSummary.map((row) => ({ ...row, base: sign * row.base, tax: sign * row.tax })),
      ),
    ).filter(({ base, tax }) => base !== 0 || tax !== 0),
    roundingAmount: sumOf(signed.map(({ document, sign }) => sign * document.roundingAmount)),
    total: sumOf(signed.map(({ document, sign }) => sign * document.total)),
  };
}

export const openTotal = (invoices: readonly OpenInvoice<unknown>[]): number =>
  sumOf(invoices.map(({ total }) => Math.max(0, total)));

/** The open amounts of all invoices by tax rate. */
export function openRates(invoices: readonly OpenInvoice<unknown>[]): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const row of invoices.flatMap((invoice) => (invoice.total > 0 ? invoice.rows : []))) {
    if (grossOf(row) <= 0) continue;
    const sum = rows.get(rateKey(row));
    rows.set(rateKey(row), sum ? { ...sum, base: sum.base + row.base, tax: sum.tax + row.tax } : { ...row });
  }
  return rows;
}

/** The wanted row, but no more than the open one: neither in sum, nor in tax, nor in base. */
function within(wanted: Row, open: Row): Row {
  const gross = grossOf(wanted);
  if (gross >= grossOf(open)) return { ...wanted, base: open.base, tax: open.tax };
  const tax = Math.min(Math.max(wanted.tax, gross - open.base), open.tax);
  return { ...wanted, base: gross - tax, tax };
}

/**
 * Limits a credit to what is open at each rate. What exceeds a rate is credited at the other rates, in proportion to what is open at
 * them. `closing`: rates that nothing is sold at any more, whose rounding differences are credited too.
 */
function limitRates(figures: InvoiceFigures, invoices: readonly OpenInvoice<unknown>[], closing: ReadonlySet<string>): Row[] {
  const open = openRates(invoices);
  const taken = new Map<string, Row>();
  let excess = 0;
  for (const wanted of figures.taxSummary) {
    const key = rateKey(wanted);
    const left = open.get(key) ?? { ...wanted, base: 0, tax: 0 };
    const missing = grossOf(left) - grossOf(wanted);
    const closes = closing.has(key) && missing > 0 && missing <= figures.lines.length;
    taken.set(key, closes ? left : within(wanted, left));
    excess += Math.max(0, -missing);
  }
  // A rounding difference of the invoice isn't a part of any rate.
  const rounding = sumOf(invoices.map(({ roundingAmount }) => roundingAmount)) - figures.roundingAmount;
  excess -= Math.min(excess, Math.max(0, rounding));
  const rest = [...open].map(([key, row]) => {
    const { base, tax } = taken.get(key) ?? { base: 0, tax: 0 };
    return { ...row, base: row.base - base, tax: row.tax - tax };
  });
  const rooms = rest.map((row) => Math.max(0, grossOf(row)));
  allocate(Math.min(excess, sumOf(rooms)), rooms, rooms).forEach((share, i) => {
    if (share === 0) return;
    const row = rest[i] as Row;
    const tax = mulRatio(row.tax, share, grossOf(row));
    const { base, tax: before } = taken.get(rateKey(row)) ?? { base: 0, tax: 0 };
    taken.set(rateKey(row), { ...row, base: base + share - tax, tax: before + tax });
  });
  return [...taken.values()].filter(({ base, tax }) => base !== 0 || tax !== 0);
}

/** Splits rows over the invoices: over one that has all of it open, the newest if possible, otherwise rate by rate, the newest first. */
function splitRows<Id>(
  rows: readonly Row[],
  total: number,
  invoices: readonly OpenInvoice<Id>[],
): { open: OpenInvoice<Id>; rows: Row[] }[] {
  const newestFirst = invoices.filter((each) => each.total > 0).reverse();
  const rowOf = (open: OpenInvoice<Id>, { ratePpm, categoryCode }: Row): Row =>
    open.rows.find((row) => row.ratePpm === ratePpm && row.categoryCode === categoryCode) ?? {
      ratePpm,
      categoryCode,
      base: 0,
      tax: 0,
    };
  const covering = newestFirst.find(
    (open) =>
      open.total >= total &&
      rows.every((row) => {
        const { base, tax } = rowOf(open, row);
        return row.base <= base && row.tax <= tax;
      }),
  );
  if (covering) return [{ open: covering, rows: [...rows] }];
  const left = rows.map((row) => ({ ...row }));
  const split = newestFirst.map((open) => ({
    open,
    rows: left.flatMap((row) => {
      const available = rowOf(open, row);
      if (grossOf(row) <= 0 || grossOf(available) <= 0) return [];
      const piece = within(row, available);
      row.base -= piece.base;
      row.tax -= piece.tax;
      return [piece];
    }),
  }));
  return split.filter((each) => each.rows.length > 0);
}

const isClosed = ({ open, rows }: { open: OpenInvoice<unknown>; rows: readonly Row[] }): boolean =>
  open.rows.every((row) => rows.some((one) => rateKey(one) === rateKey(row) && one.base === row.base && one.tax === row.tax));

/** The lines of a credit with the amounts of the rows: reduced in proportion, with a line of its own for what they don't contain. */
function linesFor(lines: readonly InvoiceLine[], rows: readonly Row[]): InvoiceLine[] {
  return rows.flatMap((row) => {
    const group = lines.filter((line) => rateKey(line) === rateKey(row));
    const { ratePpm, categoryCode } = row;
    const more = grossOf(row) - sumOf(group.map(({ gross }) => gross));
    const net = sumOf(group.map((line) => line.net));
    const tax = sumOf(group.map((line) => line.tax));
    const extra = (base: number, extraTax: number): InvoiceLine => ({
      id: 'remainder',
      kind: 'refund',
      ratePpm,
      categoryCode,
      net: base,
      tax: extraTax,
      gross: base + extraTax,
    });
    if (group.length === 0) return [extra(row.base, row.tax)];
    if (more > 0 && row.base >= net && row.tax >= tax) return [...group, extra(row.base - net, row.tax - tax)];
    const nets = allocate(
      row.base,
      group.map((line) => line.net),
    );
    const taxes = allocate(
      row.tax,
      group.map((line) => line.tax),
    );
    const scaled = group.map((line, i) => ({ ...line, net: nets[i] ?? 0, tax: taxes[i] ?? 0 }));
    const last = scaled.at(-1) as InvoiceLine;
    last.net += row.base - sumOf(scaled.map((line) => line.net));
    last.tax += row.tax - sumOf(scaled.map((line) => line.tax));
    return scaled
      .map((line) => ({ ...line, gross: line.net + line.tax }))
      .filter((line, i) => line.gross !== 0 || group[i]?.gross === 0);
  });
}

function figuresOf(lines: readonly InvoiceLine[], rows: readonly Row[], roundingAmount: number): InvoiceFigures {
  const net = sumOf(rows.map(({ base }) => base));
  const tax = sumOf(rows.map((row) => row.tax));
  return { lines: linesFor(lines, rows), taxSummary: [...rows], net, tax, roundingAmount, total: net + tax + roundingAmount };
}

/**
 * The credit notes of an amount, one an invoice. None credits more than its invoice has open: in total and at each rate. What exceeds
 * a rate is credited at the other rates. The credit note that closes a rate contains the rounding differences of the earlier ones.
 * A credit above everything open credits that.
 */
export function creditNotes<Id>(
  figures: InvoiceFigures,
  invoices: readonly OpenInvoice<Id>[],
  closing: ReadonlySet<string> = new Set(),
): Note<Id>[] {
  const open = invoices.filter(({ total }) => total > 0);
  const available = openTotal(open);
  if (figures.total <= 0 || available === 0) return [];
  if (figures.total >= available)
    return open.map(({ invoice, rows, roundingAmount }) => ({
      invoice,
      figures: figuresOf(figures.lines, rows, roundingAmount),
    }));
  const rows = limitRates(figures, open, closing);
  const split = splitRows(rows, figures.total, open);
  let rounding = figures.total - sumOf(rows.map(grossOf));
  const notes = split.map((each) => {
    const own = isClosed(each) && split.length > 1 ? each.open.roundingAmount : 0;
    rounding -= own;
    return { ...each, rounding: own };
  });
  const carrier = notes.find((each) => !isClosed(each)) ?? notes[0];
  if (carrier) carrier.rounding += rounding;
  return notes.map((each) => ({ invoice: each.open.invoice, figures: figuresOf(figures.lines, each.rows, each.rounding) }));
}

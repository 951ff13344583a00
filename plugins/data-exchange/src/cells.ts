/** A text that a spreadsheet would run as a formula: after white space or a BOM it starts with one of these, full-width forms included. */
const formula = /^[\s\uFEFF]*[=+\-@\t\r'＝＋－＠]/u;
const plainNumber = /^[+-]?\d[\d., ]*$/;

/** Text for a CSV cell: formulas disarmed by a leading `'`; so is what starts with `'`, so that an import can tell. Numbers stay. */
export function guard(text: string): string {
  return formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

/** Takes exactly one such `'` off again. */
export function unguard(text: string): string {
  return text.startsWith("'") && formula.test(text.slice(1)) ? text.slice(1) : text;
}

/** `1.234,56` or `1234,56` → `1234.56` with decimal comma; `1,234.56` → `1234.56` without. Undefined: no number. */
export function decimalText(text: string, decimalComma: boolean): string | undefined {
  const trimmed = text.trim();
  const plain = decimalComma
    ? trimmed.replace(/\.(?=\d{3}(?:\D|$))/g, '').replace(',', '.')
    : trimmed.replace(/,(?=\d{3}(?:\D|$))/g, '');
  return /^-?\d+(?:\.\d+)?$/.test(plain) ? plain : undefined;
}

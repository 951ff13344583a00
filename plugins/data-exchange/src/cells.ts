/** `1.234,56` or `1234,56` → `1234.56` with decimal comma; `1,234.56` → `1234.56` without. Undefined: no number. */
export function decimalText(text: string, decimalComma: boolean): string | undefined {
  const trimmed = text.trim();
  const plain = decimalComma
    ? trimmed.replace(/\.(?=\d{3}(?:\D|$))/g, '').replace(',', '.')
    : trimmed.replace(/,(?=\d{3}(?:\D|$))/g, '');
  return /^-?\d+(?:\.\d+)?$/.test(plain) ? plain : undefined;
}

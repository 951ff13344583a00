const shape = /^(?:\d{8}|\d{12,14})$/;

/** True for a GTIN-8, -12, -13 or -14 with a valid check digit (GS1 mod 10). */
export function isGtin(code: string): boolean {
  if (!shape.test(code)) return false;
  const digits = [...code].map(Number);
  const check = digits.pop()!;
  // Weights alternate 3, 1 from the digit left of the check digit.
  const sum = digits.reduceRight((total, digit, i) => total + digit * ((digits.length - 1 - i) % 2 === 0 ? 3 : 1), 0);
  return (10 - (sum % 10)) % 10 === check;
}

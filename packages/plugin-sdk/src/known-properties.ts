/** Returns the number of single-character changes between two names. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (previous[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    previous = next;
  }
  return previous[b.length] as number;
}

/**
 * Checks the property names of a value that plain JavaScript may have written: a misspelt one would be ignored.
 *
 * @throws Error that names the property and the known one with the nearest name
 */
export function assertKnownProperties(what: string, value: object, known: Readonly<Record<string, true>>): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known);
    const nearest = names.toSorted((a, b) => distance(name, a) - distance(name, b))[0] as string;
    const isTypo = distance(name.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, Math.floor(name.length / 3));
    const fix = isTypo ? `Did you mean ${nearest}?` : `Known are ${names.join(', ')}.`;
    throw new Error(`${what} has the unknown property ${name}. ${fix}`);
  }
}

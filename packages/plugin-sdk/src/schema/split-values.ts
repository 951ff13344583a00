/** Splits the values of a parameter that takes several: separated by commas; `\,` is a comma in a value, `\\` a backslash. */
export function splitValues(text: string): string[] {
  if (!text.includes('\\')) return text.split(',');
  const values = [''];
  for (const [part] of text.matchAll(/\\[,\\]|[\s\S]/g)) {
    if (part === ',') values.push('');
    else values.push((values.pop() as string) + (part.length > 1 ? part.slice(1) : part));
  }
  return values;
}

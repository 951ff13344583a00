/** A name that stands in SQL text: code writes it, never a request. */
export function nameOf(name: string): string {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw new Error(`${name} is no name of a table, a column or a state`);
  return name;
}
/** A text in single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

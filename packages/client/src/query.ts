/**
 * Query of a URL: `{ status: { in: ['a', 'b'] }, total: true }` → `?status%5Bin%5D=a%2Cb&total=true`. Properties of an object become
 * `name[property]`, lists are separated by commas, and undefined and null are left out.
 */
export function queryOf(query: Readonly<Record<string, unknown>> | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (isPlainObject(value))
      for (const [key, inner] of Object.entries(value)) add(parameters, name === 'others' ? key : `${name}[${key}]`, inner);
    else add(parameters, name, value);
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

function add(parameters: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  parameters.append(name, Array.isArray(value) ? value.map(itemOf).join(',') : textOf(value));
}

/** A comma in a value of several is escaped. */
const itemOf = (value: unknown): string => textOf(value).replace(/[\\,]/g, '\\$&');
const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

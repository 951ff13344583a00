/** A value of a form body: nested objects and lists become `a[b][0]`; null and undefined are left out. */
export type FormValue = string | number | boolean | null | undefined | FormValue[] | { [field: string]: FormValue };

/** `application/x-www-form-urlencoded` with nested fields in brackets. */
export function formBody(values: Record<string, FormValue>): string {
  const pairs: string[] = [];
  const add = (name: string, value: FormValue): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) for (const [i, item] of value.entries()) add(`${name}[${i}]`, item);
    else if (typeof value === 'object') for (const [field, item] of Object.entries(value)) add(`${name}[${field}]`, item);
    else pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  };
  for (const [name, value] of Object.entries(values)) add(name, value);
  return pairs.join('&');
}

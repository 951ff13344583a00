export interface ProductOption {
  name: string;
  values: string[];
}
export type OptionValues = Readonly<Record<string, unknown>>;

/** Error if a variant doesn't set exactly the product's options, else undefined. */
export function optionFault(options: readonly ProductOption[], values: OptionValues): string | undefined {
  const missing = options.find(({ name }) => typeof values[name] !== 'string' || !Object.hasOwn(values, name));
  if (missing) return `it must set the option ${missing.name}`;
  const unknown = Object.keys(values).find((name) => !options.some((option) => option.name === name));
  if (unknown !== undefined) return `the product has no option ${unknown}`;
  const wrong = options.find(({ name, values: known }) => !known.includes(values[name] as string));
  if (wrong) return `${wrong.name} can't be ${String(values[wrong.name])}; it is one of ${wrong.values.join(', ')}`;
  return undefined;
}

/** JSON objects in requests can't have these property names, so no variant could set such an option. */
const reserved = new Set(['__proto__', 'constructor', 'prototype']);

/** First error in a product's options: a reserved name, or a duplicate name or value. */
export function optionsFault(
  options: readonly ProductOption[],
): { index: number; code: 'invalid' | 'duplicate'; message: string } | undefined {
  const names = new Set<string>();
  for (const [index, { name, values }] of options.entries()) {
    if (reserved.has(name)) return { index, code: 'invalid', message: `an option can't be called ${name}` };
    if (names.has(name)) return { index, code: 'duplicate', message: `the option ${name} is duplicated` };
    names.add(name);
    if (new Set(values).size < values.length) return { index, code: 'duplicate', message: `a value of ${name} is duplicated` };
  }
  return undefined;
}

/** Text for the unique key of an option combination: the values in the order of the product's options. */
export function optionKey(options: readonly ProductOption[], values: OptionValues): string {
  return JSON.stringify(options.map(({ name }) => values[name]));
}

/** For example `Red / M`. Empty without options. */
export function optionTitle(options: readonly ProductOption[], values: OptionValues): string {
  return options.map(({ name }) => values[name]).join(' / ');
}

/** Merges the options of a product and an import file: the file's options in its order, with the values of both. */
export function mergeOptions(known: readonly ProductOption[], given: readonly ProductOption[]): ProductOption[] {
  return given.map(({ name, values }) => ({
    name,
    values: [...new Set([...(known.find((option) => option.name === name)?.values ?? []), ...values])],
  }));
}

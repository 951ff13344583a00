import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };

const catalogues: Record<string, Record<string, string>> = { en, ro };
type Key = keyof typeof en;

export type Texts = (key: Key, values?: Record<string, string | number>) => string;

/** Texts of documents in a language of the plugin, otherwise in English. */
export function textsOf(locale: string): Texts {
  const messages = catalogues[locale.split('-')[0] as string] ?? en;
  return (key, values = {}) =>
    (messages[key] ?? en[key]).replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** The text of a stored label in a locale, otherwise in its first one. */
export function labelText(label: string | Readonly<Record<string, string>>, locale: string): string {
  return typeof label === 'string' ? label : (label[locale] ?? Object.values(label)[0] ?? '');
}

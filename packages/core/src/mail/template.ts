import type { Messages } from '@storeloom/plugin-sdk';
import { escapeHtml } from '@storeloom/plugin-sdk/public';

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

export type Catalogue = Readonly<Record<string, Messages>>;

const placeholder = /\{([a-zA-Z_]\w*(?:\.\w+)*)\}/g;

/** Returns the messages in the locale (`ro-RO` also finds `ro`), otherwise in the tenant's language, English or Romanian; undefined if there are none. */
export function messagesOf(
  catalogue: Catalogue | undefined,
  name: string,
  locales: readonly string[],
): { locale: string; subject: string; text: string } | undefined {
  for (const wanted of [...locales, 'en', 'ro']) {
    for (const locale of new Set([wanted, wanted.split('-')[0] as string])) {
      const messages = catalogue && Object.hasOwn(catalogue, locale) ? catalogue[locale] : undefined;
      const subject = messages?.[`mail.${name}.subject`];
      const text = messages?.[`mail.${name}.text`];
      if (subject !== undefined && text !== undefined) return { locale, subject, text };
    }
  }
  return undefined;
}

/** Replaces `{order.number}` by that property of the data; a missing or non-scalar one by an empty text. */
export function fill(template: string, data: Readonly<Record<string, unknown>>): string {
  return template.replace(placeholder, (_, path: string) => {
    let value: unknown = data;
    for (const member of path.split('.')) value = isRecord(value) && Object.hasOwn(value, member) ? value[member] : undefined;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function render(
  { subject, text, locale }: { subject: string; text: string; locale: string },
  data: Readonly<Record<string, unknown>>,
  footer: string | null = null,
): RenderedMail {
  // The footer is written by the shop: it has no placeholders.
  const plain = footer === null ? fill(text, data) : `${fill(text, data).trimEnd()}\n\n${footer}`;
  // A line break would start another header.
  return { subject: fill(subject, data).replace(/\s+/g, ' ').trim(), text: plain, html: htmlOf(plain, locale) };
}

/** Converts text to HTML: paragraphs, line breaks, and URLs as links. Placeholders are filled before escaping. */
function htmlOf(text: string, locale: string): string {
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.split('\n').map(withLinks).join('<br>\n')}</p>`);
  return `<!doctype html>\n<html lang="${escapeHtml(locale)}"><head><meta charset="utf-8"></head><body>\n${paragraphs.join('\n')}\n</body></html>\n`;
}

function withLinks(line: string): string {
  let html = '';
  let end = 0;
  for (const match of line.matchAll(/https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]]/g)) {
    html += `${escapeHtml(line.slice(end, match.index))}<a href="${escapeHtml(match[0])}">${escapeHtml(match[0])}</a>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(line.slice(end));
}

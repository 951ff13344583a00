import type { Messages } from '@storeloom/plugin-sdk';
import { escapeHtml } from '@storeloom/plugin-sdk/public';

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

export type Catalogue = Readonly<Record<string, Messages>>;

const placeholder = /\{([a-zA-Z_]\w*(?:\.\w+)*)\}/g;

/** `ro-RO` finds `ro`; then the tenant's language, English, Romanian. Undefined where no language has the mail. */
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

/** `{order.number}` becomes that member of the data. A member that is missing, or no scalar, leaves nothing. */
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
  // The footer is the shop's own text: nothing in it is filled.
  const plain = footer === null ? fill(text, data) : `${fill(text, data).trimEnd()}\n\n${footer}`;
  // A line break in a header would begin another header.
  return { subject: fill(subject, data).replace(/\s+/g, ' ').trim(), text: plain, html: htmlOf(plain, locale) };
}

/** The text as HTML: paragraphs, line breaks, and web addresses as links. Everything is escaped after it was filled. */
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

import { createRequire } from 'node:module';
import type sanitize from 'sanitize-html';

const require = createRequire(import.meta.url);
/** Loaded with the first text: its parsers would be a good part of every boot. */
let library: typeof sanitize | undefined;

const options: sanitize.IOptions = {
  allowedTags: [
    'p',
    'br',
    'hr',
    'h2',
    'h3',
    'h4',
    'strong',
    'b',
    'em',
    'i',
    'u',
    's',
    'sub',
    'sup',
    'small',
    'blockquote',
    'ul',
    'ol',
    'li',
    'a',
    'img',
    'figure',
    'figcaption',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'code',
    'pre',
    'span',
    'div',
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'width', 'height'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
};

/** Sanitises HTML by an allow-list: no scripts, styles, event attributes or `javascript:` URLs. Applied on write. */
export function sanitizeRichText(html: string): string {
  if (!html.includes('<') && !html.includes('&')) return html;
  library ??= require('sanitize-html') as typeof sanitize;
  return library(html, options).trim();
}

import { expect, test } from 'vitest';
import { fill, messagesOf, render } from './template.ts';

const catalogue = {
  ro: {
    'mail.placed.subject': 'Comanda {order.number}',
    'mail.placed.text': 'Bună, {name}!',
    'mail.only.subject': 'r',
    'mail.only.text': 'r',
  },
  en: { 'mail.placed.subject': 'Order {order.number}', 'mail.placed.text': 'Hello {name}!', 'mail.half.subject': 'no text' },
};

test('the language that was asked for, then the tenant’s, English, Romanian', () => {
  const localeOf = (name: string, ...locales: string[]) => messagesOf(catalogue, name, locales)?.locale;
  expect(localeOf('placed', 'ro')).toBe('ro');
  expect(localeOf('placed', 'ro-RO')).toBe('ro');
  expect(localeOf('placed', 'hu', 'ro')).toBe('ro');
  expect(localeOf('placed', 'hu')).toBe('en');
  expect(localeOf('only', 'en')).toBe('ro');
  expect(localeOf('half', 'en')).toBeUndefined();
  expect(localeOf('placed', '__proto__', 'constructor')).toBe('en');
  expect(messagesOf(undefined, 'placed', ['ro'])).toBeUndefined();
});

test('placeholders are members of the data, by dotted paths', () => {
  const data = { name: 'Ana', order: { number: '1001', lines: [{ title: 'Ceai' }], paid: true, total: 0 } };
  expect(fill('{name} {order.number} {order.lines.0.title} {order.paid} {order.total}', data)).toBe('Ana 1001 Ceai true 0');
  expect(fill('[{missing}] [{order}] [{order.lines}] [{name.length}] [{order.number.x}]', data)).toBe('[] [] [] [] []');
  expect(fill('{constructor} {__proto__.x} {toString} { name } {} {0}', data)).toBe('   { name } {} {0}');
  // What was filled in is not filled again, and a dollar is a dollar.
  expect(fill('{name}', { name: '{order.number} $& $1', order: { number: '1' } })).toBe('{order.number} $& $1');
});

test('HTML is the text, escaped, with paragraphs, line breaks and links', () => {
  const { html, text } = render(
    { locale: 'en', subject: 's', text: 'Hello {name},\nsee {url}.\n\nBye & thanks' },
    { name: '<img src=x onerror="alert(1)">', url: 'https://shop.example.com/o?a=1&b="2"' },
  );
  expect(text).toBe('Hello <img src=x onerror="alert(1)">,\nsee https://shop.example.com/o?a=1&b="2".\n\nBye & thanks');
  expect(html).toContain(
    '<p>Hello &lt;img src=x onerror=&quot;alert(1)&quot;&gt;,<br>\nsee <a href="https://shop.example.com/o?a=1&amp;b=">https://shop.example.com/o?a=1&amp;b=</a>&quot;2&quot;.</p>',
  );
  expect(html).toContain('<p>Bye &amp; thanks</p>');
  expect(html.match(/<(?!\/?(?:!doctype|html|head|meta|body|p|br|a)\b)/g)).toBeNull();
  expect(render({ locale: 'en', subject: 's', text: '{u}' }, { u: 'javascript:alert(1)' }).html).not.toContain('href');
});

test('a subject is one line', () => {
  expect(render({ locale: 'en', subject: 'Hi {name}', text: '' }, { name: 'Ana\r\nBcc: all@example.com' }).subject).toBe(
    'Hi Ana Bcc: all@example.com',
  );
});

test('a hostile text takes no time', () => {
  // Of the processor: a busy machine has less of it.
  const started = process.threadCpuUsage();
  for (const text of [
    `${'{'.repeat(100_000)}a`,
    `{${'a.'.repeat(50_000)}`,
    'http://'.repeat(20_000),
    `https://${'.'.repeat(100_000)} `,
    '\n'.repeat(100_000),
  ])
    render({ locale: 'en', subject: text, text }, {});
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(1000);
});

test('a footer stands below, as it was written', () => {
  const { text, html } = render(
    { locale: 'en', subject: 's', text: 'Hello {name}!\n' },
    { name: 'Ana' },
    'Shop {name}\n<b>SRL</b>',
  );
  expect(text).toBe('Hello Ana!\n\nShop {name}\n<b>SRL</b>');
  expect(html).toContain('<p>Shop {name}<br>\n&lt;b&gt;SRL&lt;/b&gt;</p>');
});

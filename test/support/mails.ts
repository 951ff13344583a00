import { mailSources, type TestShop } from '@storeloom/testing';

export interface SentMail {
  /** Header lines, unfolded. */
  headers: string[];
  html: string;
}

const unfolded = (head: string): string[] => head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');

/** The first HTML part of a message, at any nesting level. */
function htmlPart(message: string): string | undefined {
  const end = message.indexOf('\r\n\r\n');
  const headers = unfolded(message.slice(0, end));
  const header = (name: string): string =>
    headers
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? '';
  const body = message.slice(end + 4);
  const type = header('content-type');
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary !== undefined) {
    for (const part of body.split(`--${boundary}`).slice(1, -1)) {
      const found = htmlPart(part.replace(/^\r\n/, ''));
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!/^text\/html/i.test(type)) return undefined;
  switch (header('content-transfer-encoding').toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8');
    case 'quoted-printable':
      return Buffer.from(
        body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ).toString('utf8');
    default:
      return body;
  }
}

/** Every mail that went out, as a mail program reads it. */
export function readMails(shop: Pick<TestShop, 'prepared'>): SentMail[] {
  return mailSources(shop).map((message) => {
    const headers = unfolded(message.slice(0, message.indexOf('\r\n\r\n')));
    const html = htmlPart(message);
    if (html === undefined) throw new Error(`a mail has no HTML: ${headers.join(' | ')}`);
    return { headers, html };
  });
}

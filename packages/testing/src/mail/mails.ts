import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestShop } from '../shop/shop.ts';

/** Each mail that went out, as it was sent. */
export function mailSources(shop: Pick<TestShop, 'prepared'>): string[] {
  const folder = join(shop.prepared.dataDir.path, 'mail');
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** The texts of every mail that went out. */
export function sentMails(shop: Pick<TestShop, 'prepared'>): string {
  return mailSources(shop)
    .map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))
    .join('\n');
}

/** Lines of the calendar files that were mailed to an address. */
export function sentCalendars(shop: Pick<TestShop, 'prepared'>, to: string): string[][] {
  return mailSources(shop).flatMap((mail) => {
    const [, encoded] = /^Content-Type: text\/calendar[\s\S]*?\r?\n\r?\n([A-Za-z0-9+/=\s]+)/m.exec(mail) ?? [];
    if (!mail.includes(`To: ${to}`) || encoded === undefined) return [];
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    return [text.replaceAll('\r\n ', '').split('\r\n')];
  });
}

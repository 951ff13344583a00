import { service } from '../token.ts';

/** Footer of the shop's e-mails. Provided by the plugin workspace. */
export interface MailFooter {
  /** Returns the text in a locale; null if staff have not written one. */
  text(locale: string): string | null;
}
/** Service token of `MailFooter`. */
export const mailFooter = service<MailFooter>('workspace:mail-footer');

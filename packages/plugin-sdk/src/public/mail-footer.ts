import { service } from '../token.ts';

/** What stands below every mail of a shop, if staff have written it; plugin workspace answers. */
export interface MailFooter {
  text(locale: string): string | null;
}
export const mailFooter = service<MailFooter>('workspace:mail-footer');

import { service } from '../token.ts';

export interface Mail {
  to: string;
  /** `<plugin>.<name>`: subject and body are the messages `mail.<name>.subject` and `mail.<name>.text` of the plugin's locales, with `{member}` filled from data. */
  template: string;
  locale?: string;
  data: Record<string, unknown>;
  /** `content` in base64. */
  attachments?: { name: string; type: string; content: string }[];
  /**
   * Of every mail that nobody asked for: the address that ends mails of its kind by a POST of `List-Unsubscribe=One-Click`, without signing in
   * (RFC 8058). It becomes `List-Unsubscribe` and `List-Unsubscribe-Post`.
   */
  unsubscribe?: string;
  /** One mail a key. */
  key: string;
}

export interface Mailer {
  /** Queues one mail a key in the caller's transaction. */
  send(mail: Mail): Promise<void>;
  readonly configured: boolean;
}
export const mailer = service<Mailer>('kernel:mailer');

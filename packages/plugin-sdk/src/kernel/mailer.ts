import { service } from '../token.ts';

/** An e-mail to send. */
export interface Mail {
  /** E-mail address of the recipient. */
  to: string;
  /**
   * `<plugin>.<name>`: subject and body are the messages `mail.<name>.subject` and `mail.<name>.text` of the plugin's locales,
   * with `{property}` filled from `data`.
   */
  template: string;
  /** Locale of the e-mail. Default: the tenant's default locale. */
  locale?: string;
  /** Values of the placeholders. */
  data: Record<string, unknown>;
  /** Attachments with `content` in base64. */
  attachments?: { name: string; type: string; content: string }[];
  /**
   * URL that ends e-mails of this kind by a POST of `List-Unsubscribe=One-Click`, without signing in (RFC 8058). Sent as
   * `List-Unsubscribe` and `List-Unsubscribe-Post`. Required for every e-mail that the recipient didn't request.
   */
  unsubscribe?: string;
  /** Idempotency key: one e-mail is sent for each. */
  key: string;
}

/** Sends e-mails. */
export interface Mailer {
  /** Queues an e-mail in the caller's transaction, once for each key. */
  send(mail: Mail): Promise<void>;
  /** True if e-mails can be delivered (`MAIL_URL`, or files in development). */
  readonly configured: boolean;
}
/** Service token of `Mailer`. */
export const mailer = service<Mailer>('kernel:mailer');

/** An e-mail with its texts filled in. */
export interface MailMessage {
  from: { name: string; address: string };
  to: { name: string; address: string };
  messageId: string;
  headers: Record<string, string>;
  subject: string;
  text: string;
  html?: string;
  attachments: { filename: string; contentType: string; content: Buffer }[];
}

/** Delivers e-mails. A driver of the installation: the kernel has none of its own. */
export interface MailTransport {
  /**
   * Sends one e-mail. `id` names it, the same at every attempt.
   * @throws MailRefusal where another attempt is useless; any other error is tried again
   */
  send(mail: MailMessage, id: string): Promise<void>;
  /** Closes its connections. Called when the kernel stops, after the last e-mail. */
  close?(): void | Promise<void>;
}

/** The mail server refused the e-mail or its recipient for good. */
export interface MailRefusal extends Error {
  readonly isPermanent: true;
  /** Reply code of the server (RFC 5321). */
  readonly responseCode: number;
}

export const isRefusal = (error: unknown): error is MailRefusal =>
  error instanceof Error && (error as Partial<MailRefusal>).isPermanent === true;

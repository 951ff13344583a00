import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendMailOptions, Transporter } from 'nodemailer';

/** The mail server refused the e-mail or its recipient for good. The kernel recognises it by `isPermanent`. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
  readonly isPermanent = true;
  readonly responseCode: number;
  constructor(responseCode: number) {
    super(`the mail server refused the e-mail: ${responseCode}`);
    this.responseCode = responseCode;
  }
}

export interface MailTransport {
  /**
   * Sends one e-mail. `id` names it, the same at every attempt.
   * @throws MailRefusedError where another attempt is useless
   */
  send(mail: SendMailOptions, id: string): Promise<void>;
  close(): void;
}

/** Returns the transport of the kernel's mail driver: a server, or a folder of `.eml` files. */
export const mailTransport = (target: { url: string } | { folder: string }): MailTransport =>
  'url' in target ? smtpTransport(target.url) : fileTransport(target.folder);

// An e-mail consists of data only: no part of it may name a file or a URL to read.
const closed = { disableFileAccess: true, disableUrlAccess: true } as const;

/** Loads the library with the first e-mail. */
function lazily<T extends Transporter>(
  make: (nodemailer: typeof import('nodemailer')['default']) => T,
): { get(): Promise<T>; close(): void } {
  let made: Promise<T> | undefined;
  return {
    get: () => (made ??= import('nodemailer').then(({ default: nodemailer }) => make(nodemailer))),
    close: () => void made?.then((transport) => transport.close()),
  };
}

/** Sends through a mail server, `smtp://user:password@host:port` or `smtps://…`. */
export function smtpTransport(url: string): MailTransport {
  const transport = lazily((nodemailer) =>
    nodemailer.createTransport({
      url,
      pool: true,
      maxConnections: 2,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
      ...closed,
    }),
  );
  return {
    async send(mail) {
      try {
        await (await transport.get()).sendMail({ ...mail, ...closed });
      } catch (error) {
        const { responseCode } = error as { responseCode?: unknown };
        // 5xx is permanent (RFC 5321, 4.2.1), but a refused sign-in or a full policy (530 to 535) is ours to mend.
        if (typeof responseCode === 'number' && responseCode >= 500 && !(responseCode >= 530 && responseCode <= 538))
          throw new MailRefusedError(responseCode);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** Writes each e-mail to a file (mode 0600) that mail programs open: development without a mail server. */
export function fileTransport(dir: string): MailTransport {
  const transport = lazily((nodemailer) => nodemailer.createTransport({ streamTransport: true, buffer: true, ...closed }));
  return {
    async send(mail, id) {
      const { message } = await (await transport.get()).sendMail({ ...mail, ...closed });
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const file = join(dir, `${new Date().toISOString().replaceAll(':', '-')}-${id}.eml`);
      const handle = await open(`${file}.part`, 'wx', 0o600);
      try {
        await handle.writeFile(message as Buffer);
      } finally {
        await handle.close();
      }
      await rename(`${file}.part`, file);
    },
    close: () => transport.close(),
  };
}

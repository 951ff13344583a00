import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendMailOptions, Transporter } from 'nodemailer';

/** A mail server said that it will never take this mail, or this recipient. */
export class MailRefusedError extends Error {
  readonly responseCode: number;
  constructor(responseCode: number) {
    super(`the mail server refused the mail: ${responseCode}`);
    this.name = 'MailRefusedError';
    this.responseCode = responseCode;
  }
}

export interface MailTransport {
  /** Throws MailRefusedError where a further try is useless. */
  send(mail: SendMailOptions, id: string): Promise<void>;
  close(): void;
}

// Mails are made of data only: nothing of them may name a file or an address to read.
const closed = { disableFileAccess: true, disableUrlAccess: true } as const;

/** The library is loaded with the first mail. */
function lazily<T extends Transporter>(
  make: (nodemailer: typeof import('nodemailer')['default']) => T,
): { get(): Promise<T>; close(): void } {
  let made: Promise<T> | undefined;
  return {
    get: () => (made ??= import('nodemailer').then(({ default: nodemailer }) => make(nodemailer))),
    close: () => void made?.then((transport) => transport.close()),
  };
}

/** Through a mail server, `smtp://user:password@host:port` or `smtps://…`. */
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

/** Development without a mail server: each mail is a file that mail programs open. */
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

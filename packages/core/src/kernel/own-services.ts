import type { BatchResult, Database } from '@storeloom/data';
import type { Keyring } from '@storeloom/keys';
import { createHttpGuard } from '@storeloom/outbound-http';
import type { GuardedHttp } from '@storeloom/plugin-sdk';
import { mailFooter } from '@storeloom/plugin-sdk/public';
import type { Config } from '../config.ts';
import type { Units } from '../context/units.ts';
import { createFiles, type FileService } from '../files/files.ts';
import type { FileStore } from '../files/store.ts';
import { createRateLimiter, type RateLimiter } from '../http/rate-limit.ts';
import type { Sender } from '../jobs/sender.ts';
import { createMailer, type MailService } from '../mail/mailer.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { KernelLog } from '../observability/log.ts';
import { traceparent } from '../observability/trace.ts';
import type { Registry } from '../plugins/registry.ts';

export interface OwnServicesOptions {
  config: Config;
  fileStore: FileStore;
  mailTransport: MailTransport | undefined;
  database: Database;
  registry: Registry;
  keyring: Keyring;
  units: Units;
  sender: Sender;
  wake(queue: 'mail', tenantId?: string): void;
  log: KernelLog;
}

/** Services of the kernel, created from the configuration of the installation. */
export interface OwnServices {
  readonly mail: MailService;
  readonly files: FileService;
  readonly guard: GuardedHttp;
  readonly limiter: RateLimiter;
}

export function createOwnServices(options: OwnServicesOptions): OwnServices {
  const { config, database, registry, keyring, units, sender, log } = options;
  return {
    mail: createMailer({
      units,
      sender,
      log,
      transport: options.mailTransport,
      catalogue: (plugin) => registry.byName.get(plugin)?.plugin.locales,
      footer: (ctx, locale) => ctx.use(mailFooter)?.text(locale) ?? null,
      wake: (tenantId) => options.wake('mail', tenantId),
    }),
    files: createFiles({ units, store: options.fileStore }),
    guard: createHttpGuard({ allowLocal: config.env === 'development', log, traceparent }),
    limiter: createRateLimiter({
      query: async ({ text, values = [] }) => {
        const answers: Promise<BatchResult>[] = [];
        // Not awaited inside, so that it is sent together with the commit.
        await database.withPlatform(async (tx) => {
          const answer = tx.execute({ text, values });
          answer.catch(() => undefined);
          answers.push(answer);
        });
        const { rows, count } = await (answers.at(-1) as Promise<BatchResult>);
        return { rows, rowCount: count };
      },
      factor: config.rateLimitFactor,
      sign: keyring.sign,
    }),
  };
}

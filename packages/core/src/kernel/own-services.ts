import type { GuardedHttp } from '@storeloom/plugin-sdk';
import { mailFooter } from '@storeloom/plugin-sdk/public';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { createFiles, type FileService } from '../files/files.ts';
import { localStore } from '../files/store.ts';
import { s3Store } from '../files/store-s3.ts';
import { createRateLimiter, type RateLimiter } from '../http/rate-limit.ts';
import type { DataDir } from '../installation/data-dir.ts';
import type { Sender } from '../jobs/sender.ts';
import type { Units } from '../jobs/units.ts';
import type { Keyring } from '../keys/keyring.ts';
import { createMailer, type MailService } from '../mail/mailer.ts';
import { fileTransport, type MailTransport, smtpTransport } from '../mail/transport.ts';
import type { KernelLog } from '../observability/log.ts';
import { createHttpGuard } from '../outbound-http/guard.ts';
import type { Registry } from '../runtime.ts';

export interface OwnServicesOptions {
  config: Config;
  dataDir: DataDir;
  database: Database;
  registry: Registry;
  keyring: Keyring;
  units: Units;
  sender: Sender;
  wake(queue: 'mail'): void;
  log: KernelLog;
}

/** What the kernel itself does for plugins and routes, by the configuration of the installation. */
export interface OwnServices {
  readonly mail: MailService;
  readonly files: FileService;
  readonly guard: GuardedHttp;
  readonly limiter: RateLimiter;
}

export function createOwnServices(options: OwnServicesOptions): OwnServices {
  const { config, dataDir, database, registry, keyring, units, sender, log } = options;
  return {
    mail: createMailer({
      units,
      sender,
      log,
      transport: transportOf(config, dataDir),
      catalogue: (plugin) => registry.byName.get(plugin)?.plugin.locales,
      footer: (ctx, locale) => ctx.use(mailFooter)?.text(locale) ?? null,
      wake: () => options.wake('mail'),
    }),
    files: createFiles({
      units,
      store: config.filesUrl === undefined ? localStore(dataDir.file('files')) : s3Store(config.filesUrl, log),
    }),
    guard: createHttpGuard({ allowLocal: config.env === 'development', log }),
    limiter: createRateLimiter({
      query: ({ text, values = [] }) =>
        database.withPlatform(async (tx) => {
          const { rows, count } = await tx.execute({ text, values });
          return { rows, rowCount: count };
        }),
      factor: config.rateLimitFactor,
      sign: keyring.sign,
    }),
  };
}

/** Outside production, mails are files where no server is named. */
function transportOf(config: Config, dataDir: DataDir): MailTransport | undefined {
  if (config.mailUrl) return smtpTransport(config.mailUrl);
  return config.env === 'production' ? undefined : fileTransport(dataDir.file('mail'));
}

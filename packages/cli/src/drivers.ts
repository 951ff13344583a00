import type { Drivers } from '@storeloom/core';

/** Drivers of an installation that the command starts. Each is loaded when the configuration asks for it. */
export const drivers: Drivers = {
  database: async () => (await import('@storeloom/embedded-postgres')).embeddedPostgres,
  files: async (url, log) => (await import('@storeloom/files-s3')).s3Store(url, log),
  mail: async (target) => (await import('@storeloom/mail-smtp')).mailTransport(target),
};

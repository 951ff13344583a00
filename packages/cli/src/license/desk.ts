import { service } from '@storeloom/plugin-sdk';
import type { InstallationOptions } from '../installation.ts';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { asPlatform, openBeside } from '../platform.ts';

/** The service of plugin platform; equal by id to the token in its contract. */
interface LicenceDesk {
  certificate(licenseId: string, installation: string): Promise<string>;
  extend(
    licenseId: string,
    days: { until: string; updatesUntil?: string | undefined },
  ): Promise<{ expiresAt: string; updatesUntil: string }>;
}
const licenceDesk = service<LicenceDesk>('platform:licence-desk');

interface DeskOptions extends InstallationOptions {
  json?: boolean;
}

async function withDesk<T>(options: DeskOptions, life: Lifetime, work: (desk: LicenceDesk) => Promise<T>): Promise<T> {
  return asPlatform(await openBeside(options, life), life, (ctx) => work(ctx.require(licenceDesk)));
}

/** Prints the certificate of a licence for an installation without a connection. Exit codes: 0 · 1 refused · 4 no activation is left. */
export async function licenseCertificate(
  licenceId: string,
  { installation, ...options }: DeskOptions & { installation: string },
  life: Lifetime,
): Promise<number> {
  const certificate = await withDesk(options, life, (desk) => desk.certificate(licenceId, installation));
  print(options.json ? { certificate } : certificate);
  return 0;
}

/** Moves the end of a licence to a later day. Exit codes: 0 · 1 refused. */
export async function licenseExtend(
  licenceId: string,
  { until, updatesUntil, ...options }: DeskOptions & { until: string; updatesUntil?: string },
  life: Lifetime,
): Promise<number> {
  const terms = await withDesk(options, life, (desk) => desk.extend(licenceId, { until, updatesUntil }));
  if (options.json) print(terms);
  else {
    print(`the licence ends on ${terms.expiresAt.slice(0, 10)}, updates until ${terms.updatesUntil.slice(0, 10)}`);
    say('Installations receive it with the next heartbeat; without a connection, issue a new certificate.');
  }
  return 0;
}

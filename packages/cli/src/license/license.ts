import { openIssuer } from '@storeloom/licence';
import { type Licence, licence } from '@storeloom/plugin-sdk';
import { configOf, type InstallationOptions } from '../installation.ts';
import type { Lifetime } from '../lifetime.ts';
import { say } from '../output.ts';
import { asPlatform, openBeside } from '../platform.ts';

interface LicenseOptions extends InstallationOptions {
  json?: boolean;
}

/** The licence shared with the installation's processes; changes made here take effect there immediately. */
async function withLicence(
  options: LicenseOptions,
  life: Lifetime,
  change?: { name: string; run: (own: Licence) => Promise<unknown>; needs?: string },
): Promise<number> {
  const prepared = await openBeside(options, life);
  if (change?.needs && prepared.licence.document.token === null) {
    say(change.needs);
    return 1;
  }
  await asPlatform(prepared, life, async (ctx) => {
    const own = ctx.require(licence);
    if (change) {
      const before = plain(own);
      await change.run(own);
      const action = `platform.license.${change.name}`;
      await ctx.transaction((tx) => tx.audit({ entity: 'platform.license', entityId: null, action, before, after: plain(own) }));
    }
    print(own, options.json === true);
  });
  return 0;
}

function plain(own: Licence): object {
  const { state, plan, expiresAt, keyMasked } = own.view();
  return { state, plan, expiresAt, keyMasked };
}

function print(own: Licence, asJson: boolean): void {
  const view = own.view();
  const problem = own.problem() ?? null;
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ ...view, problem })}\n`);
    return;
  }
  const lines: [string, string | null][] = [
    ['state', view.state],
    ['plan', view.plan],
    ['plugins', JSON.stringify(view.plugins)],
    ['themes', JSON.stringify(view.themes)],
    ['limits', JSON.stringify(view.limits)],
    ['domains', view.domains.join(', ') || null],
    ['ends', view.expiresAt],
    ['updates until', view.updatesUntil],
    ['key', view.keyMasked],
    ['last heartbeat', view.lastHeartbeatAt],
    ['installation', view.installation],
  ];
  for (const [name, value] of lines) process.stdout.write(`${name.padEnd(15)} ${value ?? '–'}\n`);
  if (problem) process.stdout.write(`\n${problem.code}  ${problem.message}\n`);
}

export const licenseShow = (options: LicenseOptions, life: Lifetime): Promise<number> => withLicence(options, life);
export const licenseActivate = (key: string, options: LicenseOptions, life: Lifetime): Promise<number> =>
  withLicence(options, life, { name: 'activate', run: (own) => own.activate(key) });
export const licenseHeartbeat = (options: LicenseOptions, life: Lifetime): Promise<number> =>
  withLicence(options, life, { name: 'heartbeat', run: (own) => own.heartbeat() });
/** Exit code 1 without an activated licence. The generated development licence can't be returned. */
export const licenseDeactivate = (options: LicenseOptions, life: Lifetime): Promise<number> =>
  withLicence(options, life, {
    name: 'deactivate',
    run: (own) => own.deactivate(),
    needs: 'there is no licence to give back: none was activated here',
  });

/** Prints the issuer entry for the configuration of other installations. Needs no database. */
export async function licenseIssuer(options: LicenseOptions): Promise<number> {
  const issuer = openIssuer(configOf(options).dataDir);
  process.stdout.write(`${JSON.stringify({ id: issuer.id, keys: issuer.keys() }, null, options.json ? 0 : 2)}\n`);
  return 0;
}

/** Needs no database and no restart. */
export async function licenseRotate(options: LicenseOptions & { compromised?: boolean }): Promise<number> {
  const done = openIssuer(configOf(options).dataDir).rotate({ compromised: options.compromised === true });
  process.stdout.write(`${JSON.stringify(done)}\n`);
  return 0;
}

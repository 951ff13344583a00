import type { Command } from 'commander';
import { type Example, examples, guarded, installationOptions } from '../command.ts';

export function licenseCommands(program: Command): void {
  const license = program.command('license').description('licence of the installation, and keys for issuing licences');
  const command = (parent: Command, name: string, description: string, ...list: readonly Example[]): Command =>
    examples(installationOptions(parent.command(name)), ...list)
      .description(description)
      .option('--json', 'output as JSON');
  command(license, 'show', 'show state, plan, limits and expiry', [
    'license show',
    'show the licence of this installation',
  ]).action(guarded(async () => (await import('./license.ts')).licenseShow));
  command(
    license,
    'activate <key>',
    'activate a key, or a certificate issued for this installation',
    ['license activate SL-…', 'take a seat of the licence'],
    ['license activate "$(cat certificate.jwt)"', 'without network access'],
  ).action(guarded(async () => (await import('./license.ts')).licenseActivate));
  command(license, 'heartbeat', 'contact the licence server now', [
    'license heartbeat',
    'renew the certificate if it is due',
  ]).action(guarded(async () => (await import('./license.ts')).licenseHeartbeat));
  command(license, 'deactivate', 'return the licence', ['license deactivate', 'release the seat']).action(
    guarded(async () => (await import('./license.ts')).licenseDeactivate),
  );
  command(license, 'issuer', 'print the issuer entry for the configuration of other installations', [
    'license issuer > issuer.json',
    'for licence.issuer in storeloom.config.ts',
  ]).action(guarded(async () => (await import('./license.ts')).licenseIssuer));
  command(
    license,
    'rotate',
    'switch to the next signing key and announce a new next key',
    ['license rotate', 'as a routine'],
    ['license rotate --compromised', 'after a leak'],
  )
    .option('--compromised', 'drop the current key immediately; unrecorded licences signed with it become invalid')
    .action(guarded(async () => (await import('./license.ts')).licenseRotate));
  const id = '01990000-0000-7000-8000-000000000000';
  command(license, 'certificate <licence-id>', 'issue the certificate for an installation without network access', [
    `license certificate ${id} --installation 7b1f… > certificate.jwt`,
    'at the issuer; license activate takes it there',
  ])
    .requiredOption('--installation <id>', 'id that license show prints at the installation')
    .action(guarded(async () => (await import('./desk.ts')).licenseCertificate));
  command(license, 'extend <licence-id>', 'move the end of an issued licence to a later day', [
    `license extend ${id} --until 2027-12-31`,
    'at the issuer; installations receive it with the next heartbeat',
  ])
    .requiredOption('--until <date>', 'last day')
    .option('--updates-until <date>', 'last day whose releases are covered; default: the last day')
    .action(guarded(async () => (await import('./desk.ts')).licenseExtend));
  const tokens = license.command('token').description('tokens of the package registry');
  command(tokens, 'show <licence-id>', 'show the token for installing the packages of a licence', [
    `license token show ${id}`,
    'print NPM_REGISTRY_TOKEN',
  ]).action(guarded(async () => (await import('./registry-tokens.ts')).licenceToken));
  command(tokens, 'publisher <packages...>', 'create a token for publishing packages or scopes (@acme/*)', [
    "license token publisher '@acme/*' --name acme",
    'a token for all packages of a scope',
  ])
    .requiredOption('--name <name>', 'name of the publisher')
    .action(guarded(async () => (await import('./registry-tokens.ts')).publisherToken));
  command(tokens, 'list', 'list tokens without secrets', ['license token list', 'list the tokens']).action(
    guarded(async () => (await import('./registry-tokens.ts')).listTokens),
  );
  command(tokens, 'revoke <id>', 'revoke a token', [`license token revoke ${id}`, 'end a leaked token']).action(
    guarded(async () => (await import('./registry-tokens.ts')).revokeToken),
  );
}

import type { Command } from 'commander';
import { guarded, installationOptions } from '../command.ts';

export function licenseCommands(program: Command): void {
  const license = program.command('license').description('licence of the installation, and keys for issuing licences');
  const own = (name: string, description: string): Command =>
    installationOptions(license.command(name)).description(description).option('--json', 'as JSON');
  own('show', 'show state, plan, limits and expiry').action(guarded(async () => (await import('./license.ts')).licenseShow));
  own('activate <key>', 'activate a key, or a certificate issued for this installation').action(
    guarded(async () => (await import('./license.ts')).licenseActivate),
  );
  own('heartbeat', 'contact the licence server now').action(guarded(async () => (await import('./license.ts')).licenseHeartbeat));
  own('deactivate', 'return the licence').action(guarded(async () => (await import('./license.ts')).licenseDeactivate));
  installationOptions(license.command('issuer'))
    .description('print the issuer entry for the configuration of other installations')
    .action(guarded(async () => (await import('./license.ts')).licenseIssuer));
  installationOptions(license.command('rotate'))
    .description('switch to the next signing key and announce a new next key')
    .option('--compromised', 'drop the current key immediately; unrecorded licences signed with it become invalid')
    .action(guarded(async () => (await import('./license.ts')).licenseRotate));
  const tokens = license.command('token').description('tokens of the package registry');
  const tokenCommand = (name: string, description: string): Command =>
    installationOptions(tokens.command(name)).description(description).option('--json', 'as JSON');
  tokenCommand('show <licence-id>', 'show the token for installing the packages of a licence').action(
    guarded(async () => (await import('./registry-tokens.ts')).licenceToken),
  );
  tokenCommand('publisher <packages...>', 'create a token for publishing packages or scopes (@acme/*)')
    .requiredOption('--name <name>', 'name of the publisher')
    .action(guarded(async () => (await import('./registry-tokens.ts')).publisherToken));
  tokenCommand('list', 'list tokens without secrets').action(
    guarded(async () => (await import('./registry-tokens.ts')).listTokens),
  );
  tokenCommand('revoke <id>', 'revoke a token').action(guarded(async () => (await import('./registry-tokens.ts')).revokeToken));
}

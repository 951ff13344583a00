import type { Command } from 'commander';
import { examples, guarded, installationOptions } from '../command.ts';

export function tenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('shops of the installation');
  examples(installationOptions(tenant.command('create')), [
    'tenant create --slug nord --name "Nord Atelier" --host nord.example --owner ana@nord.example',
    'a shop; its owner gets an invitation',
  ])
    .description('create a shop and invite its owner')
    .requiredOption('--slug <slug>', 'short name of the shop')
    .requiredOption('--name <name>', 'name of the shop')
    .requiredOption('--host <host...>', 'host names; the first one is in links')
    .requiredOption('--owner <email>', 'e-mail address of the owner')
    .option('--plan <code>', 'plan; default: the only open one')
    .option('--niche <code>', 'niche package')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./tenant.ts')).tenantCreate));
  examples(installationOptions(tenant.command('list')), ['tenant list', 'slug, state and hosts of every shop'])
    .description('list the shops')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./tenant.ts')).tenantList));
  const domain = tenant.command('domain').description('host names of a shop');
  examples(installationOptions(domain.command('add')), [
    'tenant domain add nord www.nord.example',
    'a further host of the shop nord',
  ])
    .description('add a host name; DNS and certificate are set up at the proxy')
    .argument('<slug>', 'shop')
    .argument('<host>', 'host name')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./tenant.ts')).domainAdd));
  examples(installationOptions(domain.command('remove')), [
    'tenant domain remove nord old.nord.example',
    'answers 404 on it from now on',
  ])
    .description('remove a host name')
    .argument('<slug>', 'shop')
    .argument('<host>', 'host name')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./tenant.ts')).domainRemove));
}

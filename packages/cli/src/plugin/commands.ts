import type { Command } from 'commander';
import { examples, guarded, installationOptions, releaseOptions } from '../command.ts';

export function pluginCommands(program: Command): void {
  const plugin = program.command('plugin').description('write, check and list plugins');
  examples(
    plugin.command('new'),
    ['plugin new loyalty', 'a package in the folder loyalty, with a table, routes, texts and tests'],
    ['plugin new loyalty --package @acme/plugin-loyalty --no-install', 'under your own name, without installing packages'],
  )
    .description('create the package of a plugin')
    .argument('<name>', 'short name: the prefix of tables, permissions and settings')
    .option('--package <name>', 'name of the package; default: plugin-<name>')
    .option('--dir <dir>', 'folder in which the package is created', process.cwd())
    .option('--no-install', "don't install its packages")
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./new.ts')).pluginNew));
  examples(
    plugin.command('check'),
    ['plugin check', 'check the plugin in this folder'],
    ['plugin check --dir plugins/loyalty --json', 'in CI'],
  )
    .description('check manifest, contract, texts, migrations, types and package of a plugin; lists every fault')
    .option('--dir <dir>', 'folder of the plugin', process.cwd())
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./check.ts')).pluginCheck));
  releaseOptions(plugin.command('diff'), ['plugin diff', 'compare with the newest snapshot'])
    .description('compare the plugins with those of a snapshot: added, removed, downgraded, no longer ready')
    .argument('[snapshot]', 'the newest by default')
    .action(guarded(async () => (await import('../release/plugin-compare.ts')).pluginDiff));
  examples(installationOptions(plugin.command('list')), ['plugin list', 'name, version and state of every plugin'])
    .description('list the plugins of the installation with their states')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./list.ts')).pluginList));
}

import type { Command } from 'commander';
import { exitCodeOf, explain } from './exit.ts';
import { withLifetime } from './lifetime.ts';

/**
 * Ends every command with a documented exit code and writes errors to stderr. commander passes the arguments, the options and the
 * command; the command's function takes the arguments, the options and the lifetime. It is loaded when it is called, so that a rollback
 * works where a package of the release can't be loaded.
 */
export function guarded<A extends unknown[]>(
  load: () => Promise<(...args: A) => Promise<number>>,
): (...args: unknown[]) => Promise<void> {
  return async (...given) => {
    try {
      const run = await load();
      process.exitCode = await withLifetime((life) => run(...([...given.slice(0, -1), life] as A)));
    } catch (error) {
      process.stderr.write(`${explain(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  };
}

/** Options of commands that open the installation. */
export function installationOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port of the API (PORT, default 4000)')
    .option('--data <dir>', 'data directory (STORELOOM_DATA)')
    .option('--database-url <url>', 'owner of the database (DATABASE_URL); without one the embedded PostgreSQL runs')
    .option('--dir <dir>', 'folder of the installation', process.cwd());
}

/** A call as it is typed after `storeloom`, and what it does. */
export type Example = readonly [call: string, purpose: string];

/** Adds examples to the help of a command, and to docs/command-line.md. */
export function examples(command: Command, ...list: readonly Example[]): Command {
  const width = Math.max(...list.map(([call]) => call.length));
  const lines = list.map(([call, purpose]) => `  storeloom ${call.padEnd(width)}  # ${purpose}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** Options of commands that work on releases and snapshots, and load neither core nor plugins of the installation. */
export const releaseOptions = (command: Command, ...list: readonly Example[]): Command =>
  examples(command, ...list)
    .option('--folder <dir>', 'folder of snapshots (default: var/snapshots)')
    .option('--data <dir>', 'data directory (STORELOOM_DATA)')
    .option('--database-url <url>', 'owner of the database (DATABASE_URL); without one the embedded PostgreSQL')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .option('--json', 'output as JSON');

import type { Command } from 'commander';
import { print } from '../output.ts';
import { completionScript, type Shell } from './scripts.ts';
import { completionTree } from './tree.ts';

/** Prints the completion script of a shell. */
export async function completion(program: Command, shell: Shell, { json }: { json?: boolean }): Promise<number> {
  const script = completionScript(shell, completionTree(program));
  if (json) print({ shell, script });
  else process.stdout.write(script);
  return 0;
}

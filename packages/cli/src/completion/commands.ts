import { Argument, type Command } from 'commander';
import { examples, guarded } from '../command.ts';
import { type Shell, shells } from './scripts.ts';

export function completionCommands(program: Command): void {
  examples(
    program.command('completion'),
    ['completion bash > /etc/bash_completion.d/storeloom', 'for all users of bash'],
    ['completion zsh > ~/.zsh/completions/_storeloom', 'for zsh, in a folder of fpath'],
    ['completion fish > ~/.config/fish/completions/storeloom.fish', 'for fish'],
  )
    .description('print the script by which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(shells))
    .option('--json', 'output as JSON')
    .action(
      guarded(async () => {
        const { completion } = await import('./completion.ts');
        return (shell: Shell, options: { json?: boolean }) => completion(program, shell, options);
      }),
    );
}

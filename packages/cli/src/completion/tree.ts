import type { Command } from 'commander';

export interface CompletionWord {
  readonly word: string;
  readonly description: string;
}

/** What can follow the words of a command. */
export interface CompletionNode {
  /** Names from the root, separated by spaces; empty for the program. */
  readonly path: string;
  /** Subcommands, and the values of an argument that has a fixed set of them. */
  readonly words: readonly CompletionWord[];
  readonly options: readonly CompletionWord[];
  /** Options that take the next word as their value. */
  readonly valued: readonly string[];
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Returns the nodes of all commands of a program, parents first. */
export function completionTree(command: Command, path = ''): CompletionNode[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const options = help.visibleOptions(command);
  const node: CompletionNode = {
    path,
    words: [
      ...subcommands.map((each) => ({ word: each.name(), description: firstLine(each.description()) })),
      ...choices.map((word) => ({ word, description: '' })),
    ],
    options: options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description: firstLine(description) })),
    valued: options.filter(({ required, optional }) => required || optional).map(({ long, short }) => long ?? short ?? ''),
  };
  return [node, ...subcommands.flatMap((each) => completionTree(each, path === '' ? each.name() : `${path} ${each.name()}`))];
}

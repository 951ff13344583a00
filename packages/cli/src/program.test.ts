import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { completionTree } from './completion/tree.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';

interface Found {
  path: string;
  command: Command;
}
const walk = (command: Command, path = ''): Found[] =>
  command.commands.flatMap((each) => {
    if (Reflect.get(each, '_hidden') === true) return [];
    const name = `${path} ${each.name()}`.trim();
    return [{ path: name, command: each }, ...walk(each, name)];
  });
const all = walk(createProgram());
/** Commands that do the work themselves, also those that have subcommands. */
const runs = ({ command }: Found): boolean => command.commands.length === 0 || Reflect.get(command, '_actionHandler') !== null;
const helpOf = (command: Command): string => {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
};
const examplesIn = (help: string): string[] =>
  (help.split('\nExamples:\n')[1] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('storeloom '));

describe.each(all.filter(runs))('$path', ({ path, command }) => {
  it('has a description, --json, and examples of itself', () => {
    expect(command.description()).toMatch(/^[a-z].*[^.]$/s);
    expect(command.options.map(({ long }) => long)).toContain('--json');
    const calls = examplesIn(helpOf(command));
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect(`${call} `).toContain(`storeloom ${path} `);
  });
  it('names only options in its examples that it has', () => {
    const known = new Set(['--help']);
    for (let at: Command | null = command; at; at = at.parent) for (const { long } of at.options) if (long) known.add(long);
    for (const call of examplesIn(helpOf(command))) {
      const typed = (call.split(/\s#\s|\s[|>]\s/, 1)[0] ?? '').match(/(?<=\s)--[a-z-]+/g) ?? [];
      for (const option of typed) expect([...known], call).toContain(option);
    }
  });
});

it('every group of commands has a description', () => {
  for (const { path, command } of all) expect(command.description(), path).not.toBe('');
});

it('shows all exit codes in its help', () => {
  const help = helpOf(createProgram());
  for (const [code] of exitCodes) expect(help).toMatch(new RegExp(`^ {2}${code} {2}\\S`, 'm'));
});

it('completes every command and option', () => {
  const tree = new Map(completionTree(createProgram()).map((node) => [node.path, node]));
  for (const { path, command } of all) {
    const node = tree.get(path);
    expect(node?.options.map(({ word }) => word).sort(), path).toEqual(
      ['--help', ...command.options.map(({ long }) => long)].sort(),
    );
    const parent = tree.get(path.split(' ').slice(0, -1).join(' '));
    expect(parent?.words.map(({ word }) => word)).toContain(command.name());
  }
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Argument, Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import { completionScript, shells } from './scripts.ts';
import { completionTree } from './tree.ts';

/** What bash offers for a line, whose last word is being typed. */
function bash(program: Command, ...words: string[]): string[] {
  const script = completionScript('bash', completionTree(program));
  const { stdout, stderr, status } = spawnSync(
    'bash',
    [
      '--norc',
      '-c',
      `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _storeloom; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      'storeloom',
      ...words,
    ],
    { encoding: 'utf8', env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

it('bash completes commands, subcommands, options and fixed values', () => {
  const program = createProgram();
  expect(bash(program, 'mig')).toEqual(['migrate']);
  expect(bash(program, 'license', 'token', '')).toEqual(['show', 'publisher', 'list', 'revoke']);
  expect(bash(program, 'rollback', '--acc')).toEqual(['--accept-loss']);
  expect(bash(program, 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(bash(program, 'no-such-command', 'x')).toEqual([]);
});

it('bash takes no value of an option for a command, and offers nothing in its place but files', () => {
  const program = createProgram();
  expect(bash(program, 'migrate', '--dir', 'status', 'd')).toEqual(['diff']);
  expect(bash(program, 'migrate', '--dir', '')).toEqual([]);
  // A flag without a value is followed by what belongs to the command.
  expect(bash(program, 'migrate', '--json', 'st')).toEqual(['status']);
});

it('quotes descriptions that contain quotes', () => {
  const program = new Command('storeloom');
  const odd = program.command('odd').description("the owner's \\ $(touch /tmp/storeloom-completion) command");
  odd.addArgument(new Argument('<what>').choices(['one', 'two']));
  expect(bash(program, 'odd', 't')).toEqual(['two']);
  expect(completionScript('fish', completionTree(program))).toContain(
    "'the owner\\'s \\\\ $(touch /tmp/storeloom-completion) command'",
  );
});

it.each(shells.filter((shell) => spawnSync(shell, ['--version']).status === 0))(
  '%s reads its script without an error',
  (shell) => {
    const script = completionScript(shell, completionTree(createProgram()));
    const file = join(mkdtempSync(join(tmpdir(), 'storeloom-completion-')), 'script');
    writeFileSync(file, script);
    const { status, stderr } = spawnSync(shell, [...(shell === 'bash' ? ['--norc'] : []), '-n', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    rmSync(dirname(file), { recursive: true });
    expect([status, stderr]).toEqual([0, '']);
  },
);

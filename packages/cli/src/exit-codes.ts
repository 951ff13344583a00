/** Exit codes of every command, in one place: the help and docs/command-line.md show them. */
export const exitCodes = [
  [0, 'done; for `dev` and `start`: stopped after serving'],
  [
    1,
    'refused or failed, and nothing is half done: a port or data directory in use, a failed core migration, a rule that forbids the change, a missing target',
  ],
  [2, 'usage or configuration: an invalid argument, an invalid or removed configuration key'],
  [
    3,
    'done, with findings: a failed migration of a plugin, a plugin that is not ready, pending migrations, errors found by a check',
  ],
  [4, 'the licence, the licence server or the package registry refused'],
  [5, 'the database is unreachable or refuses, or a restore failed: a person is needed'],
] as const satisfies readonly (readonly [code: number, meaning: string])[];

/** A signal ended the command: 128 and the number of the signal. */
const signalCodes = '129, 130, 143: interrupted by `SIGHUP`, `SIGINT`, `SIGTERM`; the work in progress was rolled back';

export const exitCodeHelp = (): string =>
  [
    '',
    'Exit codes:',
    ...exitCodes.map(([code, meaning]) => `  ${code}  ${meaning.replaceAll('`', '')}`),
    `  ${signalCodes.replaceAll('`', '')}`,
  ].join('\n');

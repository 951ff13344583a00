/** Invalid, missing or removed configuration, with all problems. The process ends with exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'config_invalid';
  readonly exitCode = 2;
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The configuration can't be used:\n${problems.map((problem) => `  - ${problem.replaceAll('\n', '\n    ')}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

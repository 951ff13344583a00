/** Writes a line for people to standard error. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Writes the result of a command to standard output: text, or JSON. */
export const print = (result: unknown): void =>
  void process.stdout.write(`${typeof result === 'string' ? result : JSON.stringify(result)}\n`);

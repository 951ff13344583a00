/**
 * Resolves when the process was asked to end and `stop` has run. A second signal ends it at once, unless it follows within a second:
 * one Ctrl-C comes from the terminal and again from the parent that passes signals on.
 */
export function untilStopped(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked: number | undefined;
    const handle = (): void => {
      if (asked !== undefined) {
        if (performance.now() - asked > 1000) process.exit(130);
        return;
      }
      asked = performance.now();
      process.stderr.write('stopping …\n');
      stop().then(resolve, reject);
    };
    process.on('SIGINT', handle);
    process.on('SIGTERM', handle);
  });
}

/** Resolves when the process was asked to end and `stop` has run. A second signal ends it at once. */
export function untilStopped(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = false;
    const handle = (): void => {
      if (asked) process.exit(130);
      asked = true;
      process.stderr.write('stopping …\n');
      stop().then(resolve, reject);
    };
    process.on('SIGINT', handle);
    process.on('SIGTERM', handle);
  });
}

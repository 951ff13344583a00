import { spawn } from 'node:child_process';

/** Runs npm in a folder and returns its exit code. Its output goes to standard error: standard output has the result of the command. */
export async function npm(args: readonly string[], folder: string, signal: AbortSignal): Promise<number | null> {
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], signal });
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('exit', done);
  });
}

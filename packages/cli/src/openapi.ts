import { type InstallationOptions, open } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { say } from './output.ts';

/** Prints the OpenAPI document of all mounted routes to stdout; with `--json` on a single line. */
export async function openapi(options: InstallationOptions & { json?: boolean }, life: Lifetime): Promise<number> {
  const prepared = await open({ ...options, port: '0' }, life, say, { logToStderr: true });
  const kernel = await prepared.start({ port: 0, workers: false });
  life.onEnd(() => kernel.stop({ immediately: true }));
  process.stdout.write(`${JSON.stringify(await kernel.openapi(), null, options.json ? 0 : 2)}\n`);
  return 0;
}

import { type InstallationOptions, open } from './installation.ts';

/** The document of every route that this installation mounts, on stdout. */
export async function openapi(options: InstallationOptions): Promise<number> {
  const prepared = await open({ ...options, port: '0' }, (line) => process.stderr.write(`${line}\n`), { logToStderr: true });
  try {
    const kernel = await prepared.start({ port: 0, workers: false });
    process.stdout.write(`${JSON.stringify(await kernel.openapi(), null, 2)}\n`);
    await kernel.stop({ immediately: true });
    return 0;
  } finally {
    await prepared.stop();
  }
}

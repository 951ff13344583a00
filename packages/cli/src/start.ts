import { type InstallationOptions, open } from './installation.ts';
import { releaseStartupMemory } from './memory.ts';
import { untilStopped } from './signals.ts';

/** Serves. It never migrates: pending core migrations stop it, a plugin's make that plugin `failed`. */
export async function start(options: InstallationOptions): Promise<number> {
  const prepared = await open(options, (line) => process.stderr.write(`${line}\n`));
  try {
    const kernel = await prepared.start();
    process.stderr.write(`listening on port ${kernel.port}\n`);
    // Not in the first moments, when whoever waited for the port comes.
    setTimeout(releaseStartupMemory, 3000).unref();
    if (prepared.setupToken.made) process.stderr.write(`setup token: ${prepared.setupToken.value}\n`);
    await untilStopped(async () => {
      await kernel.stop();
      await prepared.stop();
    });
    return 0;
  } catch (error) {
    await prepared.stop();
    throw error;
  }
}

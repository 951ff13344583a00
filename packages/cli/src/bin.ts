#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(`Storeloom runs on Node 24.7 or later; this is Node ${process.versions.node}\n`);
  process.exit(2);
}
// The reader of the output may have closed the pipe; the command must still be able to stop its database.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
// Later starts reuse compiled code. The cache is inside the installation, where other users have no write access.
module.enableCompileCache?.(join(process.cwd(), 'node_modules', '.cache', 'storeloom-compile'));
const { createProgram } = await import('./program.ts');

await createProgram().parseAsync();
// A pipe buffers 64 kB; wait until the reader has consumed the rest.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => void stream.write('', () => resolve()));
// Everything is stopped; a timer left by a plugin would keep the process alive.
process.exit();

#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(`Storeloom runs on Node 24.7 or later; this is Node ${process.versions.node}\n`);
  process.exit(2);
}
// Whoever read it may be gone: what was started must still be stopped.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
// A start that has been here before needn't compile everything again. Inside the installation: nobody else may write there.
module.enableCompileCache?.(join(process.cwd(), 'node_modules', '.cache', 'storeloom-compile'));
const { createProgram } = await import('./program.ts');

await createProgram().parseAsync();
// A pipe holds 64 kB: the rest waits until its reader has taken that.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => void stream.write('', () => resolve()));
// Everything is stopped; a timer that a plugin has left would keep the process.
process.exit();

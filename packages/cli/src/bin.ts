#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';

// A start that has been here before needn't compile everything again. Inside the installation: nobody else may write there.
module.enableCompileCache?.(join(process.cwd(), 'node_modules', '.cache', 'storeloom-compile'));
const { createProgram } = await import('./program.ts');

await createProgram().parseAsync();

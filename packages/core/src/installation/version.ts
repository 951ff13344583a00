import { readFileSync } from 'node:fs';
import { ownPackage } from './package-file.ts';

/** Version of the kernel, from its package. */
export const version: string = (JSON.parse(readFileSync(ownPackage(), 'utf8')) as { version: string }).version;

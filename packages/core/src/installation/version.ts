import { readFileSync } from 'node:fs';

/** Version of the kernel, from its package. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

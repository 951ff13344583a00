import { readFileSync } from 'node:fs';

/** Files of the template of a plugin, text by path. `npm run docs` generates it from examples/plugin-hello. */
export const pluginTemplate = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(new URL('../templates/plugin.json', import.meta.url), 'utf8')) as Record<string, string>;

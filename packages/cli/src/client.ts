import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeInstallation, readInstallation } from '@storeloom/core';
import { clientMethods, clientSlice } from '@storeloom/openapi';
import { print, say } from './output.ts';
import { UsageError } from './usage-error.ts';

export interface ClientCommandOptions {
  dir: string;
  out?: string;
  check?: boolean;
  json?: boolean;
}

/**
 * Writes the client slice of a plugin: the module that the plugin exports as `./client`. Needs neither a database nor a licence.
 * Exit codes: 0 written, or up to date · 1 the file is stale (`--check`) · 2 no such plugin, or a plugin without routes.
 */
export async function client(plugin: string, { dir, out, check = false, json = false }: ClientCommandOptions): Promise<number> {
  const { document, documentOf, plugins } = await describeInstallation(await readInstallation(dir));
  const described = plugins.find(({ name }) => name === plugin);
  if (!described)
    throw new UsageError(`${plugin} is no plugin of ${resolve(dir)}; there are ${plugins.map(({ name }) => name).join(', ')}`);
  // Refuses names that two plugins of the installation share.
  clientMethods(document);
  const text = clientSlice(documentOf(plugin), { plugin, problems: described.problems });
  if (text === undefined) throw new UsageError(`${plugin} has neither routes nor public events, so it needs no client`);
  const file = out === undefined ? join(described.dir, 'src', 'client.ts') : resolve(out);
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text;
  const state = isCurrent ? 'up to date' : check ? 'stale' : 'written';
  if (state === 'written') writeFileSync(file, text);
  if (json) print({ plugin, file, state });
  else say(state === 'stale' ? `${file} is stale: run \`storeloom client ${plugin}\` and commit it` : `${state}: ${file}`);
  return state === 'stale' ? 1 : 0;
}

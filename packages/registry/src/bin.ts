#!/usr/bin/env node
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startRegistry } from './server.ts';
import { openSigner } from './signing.ts';

const usage = `storeloom-registry [rotate-key]

  --licence-server URL   installation that issues the licences   LICENCE_SERVER_URL
  --dir DIR              folder of packages and keys             REGISTRY_DIR    (.storeloom-registry)
  --port NUMBER                                                  REGISTRY_PORT   (4873)
  --host ADDRESS         address to listen on                    REGISTRY_HOST   (127.0.0.1)
  --url URL              address by which clients reach it       REGISTRY_URL    (the one that they call)

rotate-key makes a new key that signs from the next start on; what was signed stays valid.
`;

class Usage extends Error {}

async function main(): Promise<void> {
  const { values, positionals } = read();
  const dir = resolve(values.dir ?? process.env.REGISTRY_DIR ?? '.storeloom-registry');
  if (positionals[0] === 'rotate-key' && positionals.length === 1) {
    process.stdout.write(`${JSON.stringify(openSigner(dir).rotate())}\n`);
    return;
  }
  if (positionals.length > 0) throw new Usage(`unknown command ${positionals.join(' ')}`);
  const registry = await startRegistry({
    dir,
    licenceServer: serverUrl(values['licence-server'] ?? process.env.LICENCE_SERVER_URL, '--licence-server') ?? missing(),
    port: portOf(values.port ?? process.env.REGISTRY_PORT ?? '4873'),
    host: values.host ?? process.env.REGISTRY_HOST ?? '127.0.0.1',
    onError: (error) => process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
    ...optional('url', serverUrl(values.url ?? process.env.REGISTRY_URL, '--url')),
  });
  process.stdout.write(`${JSON.stringify({ registry: registry.url, keys: registry.keys() })}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void registry.stop().then(() => process.exit(0)));
}

function read() {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      allowPositionals: true,
      options: { 'licence-server': text, dir: text, port: text, host: text, url: text },
    });
  } catch (error) {
    throw new Usage((error as Error).message);
  }
}

const missing = (): never => {
  throw new Usage('--licence-server is required');
};
const optional = (key: 'url', value: string | undefined) => (value === undefined ? {} : { [key]: value });

/** https, or http on localhost, because requests contain tokens. */
function serverUrl(text: string | undefined, option: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (!URL.canParse(text)) throw new Usage(`${option} is not a URL`);
  const { protocol, hostname, username, search, hash } = new URL(text);
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname) || hostname.endsWith('.localhost');
  if ((protocol !== 'https:' && !(protocol === 'http:' && local)) || username !== '' || search !== '' || hash !== '')
    throw new Usage(`${option} must be an https URL; http is allowed on localhost only`);
  return text;
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Usage('--port must be a whole number from 0 to 65535');
  return Number(text);
}

main().catch((error: unknown) => {
  process.stderr.write(error instanceof Usage ? `${error.message}\n\n${usage}` : `${(error as Error).message}\n`);
  process.exit(error instanceof Usage ? 2 : 1);
});

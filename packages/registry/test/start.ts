import { startRegistry } from '../src/index.ts';

/** Starts a registry with the options of the first argument; says where it is. */
const registry = await startRegistry(JSON.parse(process.argv[2] as string) as Parameters<typeof startRegistry>[0]);
process.stdout.write(`${registry.url}\n`);

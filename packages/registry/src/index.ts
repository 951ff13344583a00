export { type Registry, type RegistryOptions, startRegistry } from './server.ts';
export type { PublicKey } from './signing.ts';

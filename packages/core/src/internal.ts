/**
 * Internals of the kernel for `@storeloom/testing` only: both are released together, and this entry can change in any release.
 */

export { localStore } from './files/store.ts';
export type { CompiledRoute } from './http/routes.ts';
export { queueNames } from './jobs/queues.ts';
export { createLog } from './observability/log.ts';
export { foundationPlugins, isFolder, packageFile, readManifest } from './plugins/manifest.ts';
export type { Registry } from './plugins/registry.ts';

export { DatabaseRefused, type MigrationReport, type MigrationSet, MigrationsPending, migrate } from '@storeloom/data';
export type { AuditAnchor, AuditFault, AuditReport, AuditTools } from './audit/tools.ts';
export { type Config, readConfig } from './config.ts';
export { type FileStore, writeFileSafely } from './files/store.ts';
export { checkPort, PortRefused } from './http/server.ts';
export { type Prepared, type PrepareOptions, prepare } from './installation/boot.ts';
export type { DatabaseDriver, Drivers } from './installation/drivers.ts';
export { reasonOf, reasonText } from './installation/fault.ts';
export {
  type DemoOwner,
  type DemoTenant,
  defineConfig,
  type Installation,
  type InstallationConfig,
  readInstallation,
} from './installation/installation.ts';
export { version } from './installation/version.ts';
export { checkInstallation, type Description, describeInstallation } from './kernel/document.ts';
export { type Kernel, startKernel } from './kernel.ts';
export type { MailMessage, MailRefusal, MailTransport } from './mail/transport.ts';
export type { KernelLog, LogLevel } from './observability/log.ts';
export { RouteConflict } from './plugins/contributions.ts';
export { isFolder } from './plugins/manifest.ts';
export { createDemoTenant } from './tenancy/demo-tenant.ts';

export { type Prepared, type PrepareOptions, prepare } from './boot.ts';
export { type Config, ConfigError, type Environment, readConfig } from './config.ts';
export { type MigrationReport, type MigrationSet, migrate } from './database/migrate.ts';
export { type DemoLogins, seedDemo } from './demo.ts';
export { reasonText } from './fault.ts';
export { type DemoTenant, defineConfig, type Installation, type InstallationConfig, readInstallation } from './installation.ts';
export { type Kernel, startKernel, version } from './kernel.ts';
export type { KernelLog, LogLevel } from './observability/log.ts';
export { RouteConflict } from './plugins/contributions.ts';

import { UsageError } from './usage-error.ts';

type ServiceName = 'api' | 'worker';

/** A part of the installation that is built, started and checked separately. */
export interface Service {
  readonly name: ServiceName;
  /** Path of its health check, below its port; undefined: it listens on no port. */
  readonly health: string | undefined;
  /** Whether `storeloom start` without `--service` includes it. */
  readonly isDefault: boolean;
  readonly runsJobs: boolean;
}

/** The services of an installation, in the order in which they are built and started. */
export const services: readonly Service[] = [
  { name: 'api', health: '/health', isDefault: true, runsJobs: false },
  { name: 'worker', health: undefined, isDefault: true, runsJobs: true },
];

/** @throws UsageError */
export function serviceNamed(name: string): Service {
  const found = services.find((service) => service.name === name);
  if (found) return found;
  throw new UsageError(`--service is "${name}", must be one of ${services.map((service) => service.name).join(', ')}`);
}

import { runtimeRole } from '@storeloom/data';
import { createDatabase as create, type Template, type TestDatabase } from '@storeloom/embedded-postgres/testing';

/**
 * Creates a database on the run's PostgreSQL, empty or as a copy of a template. The runtime login that the kernel makes for it is
 * dropped with it.
 */
export const createDatabase = (options: { template?: Template } = {}): Promise<TestDatabase> =>
  create({ ...options, loginOf: runtimeRole });

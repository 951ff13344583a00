import { runtimeRole } from '@storeloom/data';
import { startTestServer } from '@storeloom/embedded-postgres/testing';

/**
 * vitest's `globalSetup`: the PostgreSQL of the run. `TEST_DATABASE_URL` names a server that exists (15 or newer, with a role that may
 * create databases and roles; what the run creates is dropped at its end). Without it an embedded one runs in a temporary folder.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { env, stop } = await startTestServer({ loginOf: runtimeRole });
  Object.assign(process.env, env);
  return stop;
}

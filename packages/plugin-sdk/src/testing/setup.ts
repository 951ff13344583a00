import { startTestServer } from '@storeloom/core/testing';

/**
 * vitest's `globalSetup`: the PostgreSQL of the run. `TEST_DATABASE_URL` names a server of your own (15 or newer, with a role that may
 * make databases and roles; what the run makes goes with it); without it the embedded one is started in a temporary folder.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { env, stop } = await startTestServer();
  Object.assign(process.env, env);
  return stop;
}

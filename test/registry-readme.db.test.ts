import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase, type TestDatabase } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended } from './support/processes.ts';
import { registryScript } from './support/registry.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const blocks = [...readFileSync(join(root, 'packages/registry/README.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)];
/**
 * What the packages of the repository need comes from the public registry: here they are those of the repository itself. All else is
 * typed as it stands.
 */
const standIns = `
npm() {
  if [ "$1" != install ]; then command npm "$@"; return; fi
  command npm install --ignore-scripts --legacy-peer-deps @acme/plugin-greeting
  ln -s '${root}node_modules/@storeloom' node_modules/@storeloom
}
npx() { shift; node --conditions=storeloom-source --no-warnings '${root}packages/cli/src/bin.ts' "$@"; }
`;

let place: string;
let registry: Awaited<ReturnType<typeof registryScript>>;
let database: TestDatabase;
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'storeloom-registry-readme-'));
  // The database's user passes through.
  chmodSync(place, 0o711);
  mkdirSync(join(place, 'home'));
  mkdirSync(join(place, 'work'));
  database = await createDatabase();
  const data = join(place, 'data');
  const options = ['--json', '--port', '0', '--licence-port', '0', '--data', data, '--filter', './packages/plugin-sdk'];
  registry = await registryScript('../../tools/registry.ts', options);
});
afterAll(async () => {
  registry?.child.kill('SIGTERM');
  if (registry) await ended(registry.child);
  await database?.drop();
  rmSync(place, { recursive: true, force: true });
});

it('from the variables that are printed an author publishes, and a shop installs and activates', () => {
  const printed = JSON.parse(registry.line) as Record<'registry' | 'install' | 'publish' | 'licence', string> & {
    published: number;
    issuer: object;
  };
  expect(printed.published).toBe(1);
  const script = [standIns, ...blocks.map(([, text]) => text), 'npx storeloom openapi'].join('\n');
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: join(place, 'work'),
    maxBuffer: 2 ** 26,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: join(place, 'home'),
      npm_config_update_notifier: 'false',
      npm_config_fund: 'false',
      npm_config_audit: 'false',
      REGISTRY: printed.registry,
      INSTALL: printed.install,
      PUBLISH: printed.publish,
      LICENCE: printed.licence,
      ISSUER: JSON.stringify(printed.issuer),
      DATABASE_URL: database.url,
      STORELOOM_DATA: join(place, 'shop-data'),
    },
  });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('+ @acme/plugin-greeting@1.0.0');
  expect(stdout).toMatch(/state +valid\nplan +local\n/);
  expect(stdout).toMatch(new RegExp(`key +••••${printed.licence.slice(-4)}`));
  // The plugin that was published is the one that runs.
  expect(/"\/api\/storefront\/greeting\/?"/.test(stdout)).toBe(true);
}, 300_000);

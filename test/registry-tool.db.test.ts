import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from '../packages/embedded-postgres/src/processes.ts';
import { ended } from './support/processes.ts';
import { registryScript } from './support/registry.ts';

/** `npm run registry` as a command: what it refuses before it makes anything, and what it leaves behind. */
const script = fileURLToPath(new URL('../tools/registry.ts', import.meta.url));
let place: string;
let data: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'storeloom-registry-tool-'));
  // The database's user passes through.
  chmodSync(place, 0o711);
  data = join(place, 'state/registry');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function refusal(...args: string[]) {
  const options = ['--conditions=storeloom-source', '--no-warnings', script, '--data', data, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect(existsSync(join(place, 'state'))).toBe(false);
  return { status, stdout, stderr };
}
const free = ['--port', '0', '--licence-port', '0'];

it('says how it is used, and refuses what can not be done, before anything is made', async () => {
  const help = refusal('--help');
  expect([help.status, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toMatch(/--licence-port N .*\n.*--data DIR/);
  for (const [wrong, why] of [
    [['--port', 'x'], '--port must be'],
    [['--port', '5000', '--licence-port', '5000'], 'are the same'],
    [['--data='], '--data is empty'],
    [['--what'], '--what'],
    [
      [...free, '--filter', './packages/cli', '--filter', 'no-such-package'],
      '--filter no-such-package: there is no such package',
    ],
  ] as const) {
    const { status, stdout, stderr } = refusal(...wrong);
    expect([status, stdout], stderr).toEqual([2, '']);
    expect(stderr).toContain(why);
  }
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  for (const [option, rest] of [
    ['--port', '--licence-port'],
    ['--licence-port', '--port'],
  ] as const) {
    const { status, stderr } = refusal(option, String(port), rest, '0');
    expect([status, stderr]).toEqual([1, `${option}: port ${port} is in use by another process\n`]);
  }
  await new Promise((resolve) => other.close(resolve));
}, 600_000);

it.each(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)(
  'stops all that it started on %s, also where that comes twice',
  async (signal) => {
    const { child, log } = await registryScript(script, ['--json', ...free, '--data', data, '--filter', './packages/plugin-sdk']);
    // In the data directory: the user of the database can enter it.
    const cluster = join(data, 'licences/postgres/18');
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    expect(pid).toBeGreaterThan(1);
    expect(statSync(join(data, 'access.json')).mode & 0o077).toBe(0);
    expect(statSync(join(data, 'registry')).mode & 0o077).toBe(0);
    const gone = ended(child);
    child.kill(signal);
    setTimeout(() => child.kill(signal), 50);
    expect(await gone, log()).toBe(0);
    expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
    // An ended process stays in the process table until its parent reads its status.
    expect(isAlive(pid)).toBe(false);
  },
  600_000,
);

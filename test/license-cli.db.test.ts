import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, type TestDatabase, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue, issuingShop } from '../plugins/platform/test/issuer.ts';
import { installation, type SmallInstallation } from './support/installation.ts';
import { ended, processOf, run, storeloom as started } from './support/processes.ts';

/** The licence by the command line: two installations, each in processes of its own. */
let issuer: TestShop;
let database: TestDatabase;
let home: SmallInstallation;
beforeAll(async () => {
  const made = await issuingShop();
  issuer = made.issuer;
  database = await createDatabase();
  home = installation({});
  const config = { plugins: [], licence: { issuer: made.trusted } };
  writeFileSync(join(home.dir, 'storeloom.config.mjs'), `export default ${JSON.stringify(config)};\n`);
  expect((await storeloom('migrate')).code).toBe(0);
});
afterAll(async () => {
  await issuer?.stop();
  await database?.drop();
  home?.remove();
});
const options = () => ({ dir: home.dir, dataDir: home.dataDir, databaseUrl: database.url });
const storeloom = (...args: string[]) => run(args, options());
const view = async (...args: string[]) => {
  const { code, stdout, stderr } = await storeloom('license', ...args, '--json');
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
};

it('is activated, shown, renewed and given back', async () => {
  expect(await view('show')).toMatchObject({ state: 'valid', plan: 'development', keyMasked: null });
  const licence = await issue(issuer);
  expect(await view('activate', licence.key)).toMatchObject({ state: 'valid', plan: 'agency', problem: null });
  // Another process reads what this one has stored.
  expect(await view('show')).toMatchObject({ plan: 'agency', keyMasked: `••••${licence.key.slice(-4)}` });
  expect(await view('heartbeat')).toMatchObject({ plan: 'agency', lastHeartbeatAt: expect.any(String) });

  const staging = await issue(issuer, { env: 'staging' });
  const refused = await storeloom('license', 'activate', staging.key);
  expect([refused.code, refused.stdout]).toEqual([4, '']);
  expect(refused.stderr).toContain('another environment');
  const unknown = await storeloom('license', 'activate', 'SL-UNKNOWN');
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('There is no licence with this key')]);

  expect(await view('deactivate')).toMatchObject({ plan: 'development', keyMasked: null });
  const again = await storeloom('license', 'deactivate');
  expect([again.code, again.stdout, again.stderr]).toEqual([
    1,
    '',
    'there is no licence to give back: none was activated here\n',
  ]);
});

it('is given to an installation without network access, and extended', async () => {
  const desk = (...args: string[]) => run(['license', ...args], { ...processOf(issuer), dir: home.dir });
  const { id } = await issue(issuer, { maxActivations: 1, heartbeat: { interval: 86_400, maxOffline: 200 * 86_400 } });
  const { installation } = (await view('show')) as { installation: string };
  const issued = await desk('certificate', id, '--installation', installation);
  expect([issued.code, issued.code === 0 ? '' : issued.stderr]).toEqual([0, '']);
  expect(await view('activate', issued.stdout.trim())).toMatchObject({ state: 'valid', plan: 'agency', problem: null });
  expect(await view('deactivate')).toMatchObject({ plan: 'development' });

  const until = new Date(Date.now() + 500 * 86_400_000).toISOString().slice(0, 10);
  const extended = await desk('extend', id, '--until', until, '--json');
  expect(JSON.parse(extended.stdout)).toEqual({ expiresAt: `${until}T23:59:59.000Z`, updatesUntil: `${until}T23:59:59.000Z` });
  // The same installation takes no second activation.
  const renewed = await desk('certificate', id, '--installation', installation);
  expect(await view('activate', renewed.stdout.trim())).toMatchObject({ expiresAt: `${until}T23:59:59.000Z` });
  await view('deactivate');

  const other = await desk('certificate', id, '--installation', 'another');
  expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('All 1 activations')]);
  const stolen = await storeloom('license', 'activate', `${renewed.stdout.trim().slice(0, -4)}AAAA`);
  expect(stolen.code).not.toBe(0);
  for (const [args, message] of [
    [['extend', id, '--until', '2020-01-01'], /must be later than the present end/],
    [['extend', id, '--until', '2027-02-30'], /must be a date/],
    [['certificate', 'x', '--installation', installation], /is not the id of a licence/],
    [['certificate', id, '--installation', 'a b'], /license show/],
  ] as const) {
    const { code, stderr } = await desk(...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  }
});

it('tells what others must name to take licences of this installation, and rotates its keys', async () => {
  const keys = async () => JSON.parse((await storeloom('license', 'issuer')).stdout) as { id: string; keys: { kid: string }[] };
  const before = await keys();
  expect(before).toMatchObject({ id: expect.stringMatching(/^urn:storeloom:/), keys: [{}, {}] });
  const rotated = JSON.parse((await storeloom('license', 'rotate')).stdout) as { current: string; next: string };
  expect(rotated.current).toBe(before.keys[1]?.kid);
  expect((await keys()).keys.map(({ kid }) => kid)).toEqual([rotated.current, rotated.next, before.keys[0]?.kid]);
  await storeloom('license', 'rotate', '--compromised');
  expect((await keys()).keys.map(({ kid }) => kid)).not.toContain(rotated.current);
});

it('prints all of a long answer, however slowly it is read', async () => {
  const child = started(['openapi'], options());
  const { stdout } = child;
  if (!stdout) throw new Error('no output');
  await new Promise((resolve) => stdout.once('readable', resolve));
  // More is written by now than a pipe holds.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  let text = '';
  for await (const chunk of stdout) text += chunk;
  expect(Object.keys((JSON.parse(text) as { paths: object }).paths)).toContain('/api/auth/login');
  expect(text.length).toBeGreaterThan(300_000);
  expect(await ended(child)).toBe(0);
});

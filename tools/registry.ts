// `npm run registry`: a licence server and a package registry on this machine, with everything that is built published in it.
// Options: --port (4873), --licence-port (4874), --data DIR (.storeloom/registry), --filter PACKAGES (all), --json.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type Kernel, prepare, readConfig } from '@storeloom/core';
import { type PlatformCtx, service } from '@storeloom/plugin-sdk';
import { startRegistry } from '@storeloom/registry';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const execute = promisify(execFile);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
/** What went wrong, on one line; with its stack where that is asked for. */
function fail(error: unknown, code: number): never {
  const debug = process.env.STORELOOM_DEBUG === '1';
  say(error instanceof Error ? ((debug ? error.stack : undefined) ?? error.message) : String(error));
  process.exit(code);
}
function options() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: '4873' },
        'licence-port': { type: 'string', default: '4874' },
        data: { type: 'string', default: join(root, '.storeloom/registry') },
        filter: { type: 'string', multiple: true, default: ['./packages/*', './plugins/*', './examples/plugin-*'] },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    say('usage: npm run registry -- [--port N] [--licence-port N] [--data DIR] [--filter PACKAGES]… [--json]');
    return fail(error, 2);
  }
}
const values = options();
const data = resolve(values.data);

interface Access {
  install: string;
  publish: string;
  /** Key of the licence whose token installs. */
  licence: string;
}
/** Services of identity and platform, equal by id with those of their contracts. */
const operators = service<{ create(operator: { email: string; name: string; password: string }): Promise<unknown> }>(
  'identity:operators',
);
const registryTokens = service<{
  publisher(publisher: { name: string; packages: readonly string[] }): Promise<{ token: string }>;
}>('platform:registry-tokens');

async function post<T>(base: string, path: string, body: object, token?: string): Promise<T> {
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** A licence, its token and one that publishes, made once, by the ways by which an operator and a customer get theirs. */
async function accessOf(kernel: Kernel, base: string): Promise<Access> {
  const file = join(data, 'access.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Access;
  const email = `operator-${randomBytes(4).toString('hex')}@localhost.example`;
  const operator = { email, name: 'Operator', password: randomBytes(18).toString('base64url') };
  await kernel.asPlatform('identity', (ctx: PlatformCtx) => ctx.require(operators).create(operator));
  const { accessToken } = await post<{ accessToken: string }>(base, '/api/auth/login', {
    email: operator.email,
    password: operator.password,
    audience: 'super-admin',
  });
  const year = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const terms = {
    customerEmail: 'shop@localhost.example',
    plan: 'local',
    env: 'development',
    maxActivations: 1000,
    expiresAt: year,
    updatesUntil: year,
  };
  const all = { plugins: { '*': '*' }, themes: { '*': '*' }, limits: {} };
  const licence = await post<{ key: string }>(base, '/api/super-admin/licenses/issue', { ...terms, ...all }, accessToken);
  const { token: install } = await post<{ token: string }>(base, '/api/licensing/registry-token', { key: licence.key });
  const { token: publish } = await kernel.asPlatform('platform', (ctx: PlatformCtx) =>
    ctx.require(registryTokens).publisher({ name: 'local', packages: ['@storeloom/*', '@acme/*'] }),
  );
  const access: Access = { install, publish, licence: licence.key };
  writeFileSync(file, JSON.stringify(access), { mode: 0o600 });
  return access;
}

/** Packs what would be published, and publishes it as its author would. */
async function publishAll(registry: string, token: string): Promise<number> {
  const place = mkdtempSync(join(tmpdir(), 'storeloom-publish-'));
  const env: NodeJS.ProcessEnv = { ...process.env, NPM_REGISTRY_TOKEN: token };
  // The registry that answers runs in this process: nothing may block it.
  const run = (command: string, args: readonly string[]) => execute(command, args, { cwd: root, env, maxBuffer: 2 ** 26 });
  try {
    const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string };
    const packages = values.filter.map((each) => `--filter=${each}`);
    await run('npx', ['--yes', packageManager, ...packages, 'pack', '--pack-destination', place]);
    const userconfig = join(place, '.npmrc');
    writeFileSync(userconfig, `//${new URL(registry).host}/:_authToken=\${NPM_REGISTRY_TOKEN}\n`);
    const tarballs = readdirSync(place).filter((name) => name.endsWith('.tgz'));
    const options = ['--ignore-scripts', '--registry', registry, '--userconfig', userconfig];
    for (const tarball of tarballs) await run('npm', ['publish', join(place, tarball), ...options]);
    return tarballs.length;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

mkdirSync(data, { recursive: true, mode: 0o700 });
const config = readConfig({
  STORELOOM_ENV: 'development',
  STORELOOM_DATA: join(data, 'licences'),
  PORT: values['licence-port'],
  STORELOOM_WORKERS: 'false',
});
const prepared = await prepare(
  config,
  { dir: root, plugins: [], demo: [] },
  { say, logLevel: 'warn', logToStderr: true, listensOn: config.port },
).catch((error) =>
  // The kernel's hint names its own option.
  fail(error?.code === 'port_refused' ? `--licence-port: ${(error as Error).message.split('\n')[0]}` : error, 1),
);
const stops: (() => Promise<unknown>)[] = [() => prepared.stop()];
const stop = async (): Promise<void> => {
  for (const each of stops.reverse()) await each();
};
try {
  const report = await prepared.migrate();
  if (report.exitCode !== 0) throw new Error(report.failed.map(({ name, message }) => `${name}: ${message}`).join('\n'));
  const kernel = await prepared.start({ host: '127.0.0.1' });
  stops.push(() => kernel.stop({ immediately: true }));
  const licenceServer = `http://127.0.0.1:${kernel.port}`;
  const access = await accessOf(kernel, licenceServer);
  const { id, keys } = prepared.licenceIssuer;
  /** What an installation names in its configuration to take the licence. */
  const issuer = { id, url: licenceServer, keys: keys().map(({ kid, x }) => ({ kid, x })) };
  const dir = join(data, 'registry');
  // What is published is what is built now; packages of other scopes stay.
  rmSync(join(dir, 'packages/@storeloom'), { recursive: true, force: true });
  const registry = await startRegistry({ dir, licenceServer, port: Number(values.port), onError: (error) => say(String(error)) });
  stops.push(() => registry.stop());
  say('publishing what is built …');
  const published = await publishAll(registry.url, access.publish);
  if (values.json)
    process.stdout.write(`${JSON.stringify({ registry: registry.url, licenceServer, published, ...access, issuer })}\n`);
  else
    process.stdout.write(`
Registry ${registry.url} with ${published} packages, licence server ${licenceServer}

  token that installs    INSTALL   what the licence covers: every plugin
  token that publishes   PUBLISH   @storeloom/*, @acme/*
  key of the licence     LICENCE   for installations in development
  its issuer             ISSUER    for licence.issuer of storeloom.config

  In the other terminal, then go on as packages/registry/README.md says:

export REGISTRY=${registry.url} INSTALL=${access.install} PUBLISH=${access.publish} LICENCE=${access.licence}
export ISSUER='${JSON.stringify(issuer)}'

  Ctrl-C stops both.
`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(0)));
} catch (error) {
  await stop();
  fail(error, 1);
}

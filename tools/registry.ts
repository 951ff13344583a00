// `npm run registry`: a licence server and a package registry on this machine, with the built packages published.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { drivers } from '@storeloom/cli';
import { checkPort, type Kernel, prepare, readConfig } from '@storeloom/core';
import { dataDirMode } from '@storeloom/keys';
import { type PlatformCtx, service } from '@storeloom/plugin-sdk';
import { startRegistry } from '@storeloom/registry';
import { exitCodeOf, explain } from '../packages/cli/src/exit.ts';
import { type Lifetime, withLifetime } from '../packages/cli/src/lifetime.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const execute = promisify(execFile);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const usage = `npm run registry -- [options]: a licence server and a package registry on this machine

  --port N           port of the registry (4873)
  --licence-port N   port of the licence server (4874)
  --data DIR         what both keep (.storeloom/registry)
  --filter PACKAGES  what is published, as pnpm selects it (everything); may stand there several times
  --json             one line on stdout once everything is published
  --help             this
`;
/** Invalid command line. */
class Misuse extends Error {
  readonly exitCode = 2;
}
const everything = ['./packages/*', './plugins/*', './examples/plugin-*'];

function options() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      options: {
        port: { ...text, default: '4873' },
        'licence-port': { ...text, default: '4874' },
        data: { ...text, default: join(root, '.storeloom/registry') },
        filter: { ...text, multiple: true },
        json: flag,
        help: { ...flag, short: 'h' },
      },
    });
    const [port, licencePort] = [portOf('--port', values.port), portOf('--licence-port', values['licence-port'])];
    if (port === licencePort && port !== 0) throw new Misuse('--port and --licence-port are the same');
    if (values.data === '') throw new Misuse('--data is empty');
    return { ...values, data: resolve(values.data), port, licencePort };
  } catch (error) {
    say(`${(error as Error).message}\n\n${usage}`);
    return process.exit(2);
  }
}
function portOf(option: string, text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Misuse(`${option} must be a whole number from 0 to 65535`);
  return Number(text);
}
const values = options();
const { data } = values;

interface Access {
  install: string;
  publish: string;
  /** Key of the licence of the install token. */
  licence: string;
}
/** Services of identity and platform, equal by id to the tokens in their contracts. */
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

/** Creates a licence, its token and a publisher token once, through the routes of operators and customers. */
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

const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string };
/** Arguments of npx. The version is exact, so an installed one needs no look-up in a registry. */
const pnpm = ['--yes', '--prefer-offline', packageManager];

/** Checks the filters, because pnpm accepts one without a match. @throws Misuse */
async function requireMatches(filters: readonly string[], signal: AbortSignal): Promise<void> {
  for (const filter of filters) {
    const list = [...pnpm, `--filter=${filter}`, 'ls', '--depth=-1', '--json'];
    const { stdout } = await execute('npx', list, { cwd: root, signal, maxBuffer: 2 ** 26 });
    if ((JSON.parse(stdout) as unknown[]).length === 0) throw new Misuse(`--filter ${filter}: there is no such package`);
  }
}

/** Packs and publishes the packages as an author would. */
async function publishAll(registry: string, token: string, signal: AbortSignal): Promise<number> {
  const place = mkdtempSync(join(tmpdir(), 'storeloom-publish-'));
  const env: NodeJS.ProcessEnv = { ...process.env, NPM_REGISTRY_TOKEN: token };
  // The registry runs in this process, so nothing may block.
  const run = (command: string, args: readonly string[]) =>
    execute(command, args, { cwd: root, env, signal, maxBuffer: 2 ** 26 });
  try {
    const packages = (values.filter ?? everything).map((each) => `--filter=${each}`);
    await run('npx', [...pnpm, ...packages, 'pack', '--pack-destination', place]);
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

/** Runs until a signal arrives, then stops everything that it started. */
async function serve(life: Lifetime): Promise<number> {
  const { signal } = life;
  const host = '127.0.0.1';
  for (const [option, port] of [
    ['--port', values.port],
    ['--licence-port', values.licencePort],
  ] as const)
    await checkPort(port, host).catch((error: Error) => {
      // The rest of the message is about an option of the kernel's command.
      throw new Error(`${option}: ${error.message.split('\n')[0]}`);
    });
  await requireMatches(values.filter ?? [], signal);
  // The PostgreSQL user can pass through; each folder inside restricts access itself.
  mkdirSync(data, { recursive: true, mode: dataDirMode() });
  const config = readConfig({
    STORELOOM_ENV: 'development',
    STORELOOM_DATA: join(data, 'licences'),
    PORT: String(values.licencePort),
    STORELOOM_WORKERS: 'false',
  });
  const prepared = await prepare(
    config,
    { dir: root, plugins: [], demo: [] },
    { say, logLevel: 'warn', logToStderr: true, signal, drivers },
  );
  life.onEnd(() => prepared.stop());
  const report = await prepared.migrate(undefined, signal);
  if (report.exitCode !== 0) throw new Error(report.failed.map(({ name, message }) => `${name}: ${message}`).join('\n'));
  const kernel = await prepared.start({ host });
  life.onEnd(() => kernel.stop({ immediately: true }));
  const licenceServer = `http://${host}:${kernel.port}`;
  const access = await accessOf(kernel, licenceServer);
  const { id, keys } = prepared.licenceIssuer;
  /** The issuer entry for an installation's configuration. */
  const issuer = { id, url: licenceServer, keys: keys().map(({ kid, x }) => ({ kid, x })) };
  const dir = join(data, 'registry');
  // Publish the current build; packages of other scopes are kept.
  rmSync(join(dir, 'packages/@storeloom'), { recursive: true, force: true });
  const registry = await startRegistry({ dir, licenceServer, port: values.port, onError: (error) => say(String(error)) });
  life.onEnd(() => registry.stop());
  signal.throwIfAborted();
  say('publishing the built packages …');
  const published = await publishAll(registry.url, access.publish, signal);
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
  await life.asked;
  return 0;
}

if (values.help) process.stdout.write(usage);
else
  try {
    process.exitCode = await withLifetime(serve);
  } catch (error) {
    say(explain(error));
    process.exitCode = exitCodeOf(error);
  }
// Everything is stopped; a kept-alive connection would keep the process running.
process.exit();

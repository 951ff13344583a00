// Entry point: `node tools/bootstrap.mjs <job> [options]`. Runs on Node 18 or later without installed packages: installs the workspace if
// the lock file has changed, builds it, and runs the job on Node 24. Its own output goes to stderr.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const say = (message) => process.stderr.write(`${message}\n`);

/** Jobs: arguments of the build before, and the program. `start` also gets an environment for evaluation. */
const jobs = {
  start: {
    build: ['--js-only'],
    program: 'node_modules/@storeloom/cli/dist/bin.js',
    options: ['dev'],
    env: { STORELOOM_ENV: process.env.STORELOOM_ENV || 'development' },
  },
  test: { program: 'tools/test.mjs' },
  nightly: { program: 'tools/test.mjs', env: { STORELOOM_NIGHTLY: '1' } },
  typecheck: { program: 'tools/test.mjs', options: ['--only', 'refs,types'] },
  lint: { program: 'tools/test.mjs', options: ['--only', 'lint,architecture'] },
  build: { build: [] },
  api: { build: [], program: 'tools/api-report.mjs', options: ['--write'] },
  surface: { build: [], program: 'tools/surface.mjs', options: ['--write'] },
  manifest: { build: [], program: 'tools/release.mjs', options: ['--write'] },
  versions: { program: 'tools/versions.mjs' },
  registry: { build: ['--js-only'], program: 'tools/registry.ts' },
  pack: { build: [], program: 'tools/pack.mjs' },
  bench: { build: ['--js-only'], program: 'bench/run.ts' },
};

class Refusal extends Error {}
/** Invalid command line: exit code 2. */
class Misuse extends Refusal {}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a program to its end. Forwards signals, waits, and ends with the same signal. */
function finish(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
    let asked;
    const pass = (signal) => {
      asked = signal;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, pass);
    child.once('error', reject);
    child.once('close', (status) => {
      for (const signal of signals) process.off(signal, pass);
      if (asked) process.exit(128 + constants.signals[asked]);
      resolve(status);
    });
  });
}

function packageManager() {
  const { packageManager: name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return name;
}

/** Removes npm's output settings from the environment of child processes. */
function childEnvironment(extra = {}) {
  const env = { ...process.env, ...extra };
  for (const name of ['npm_config_json', 'npm_config_loglevel']) delete env[name];
  return env;
}

/** Fingerprint of all inputs of an install. */
function wantedInstall() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

async function install() {
  const stamp = join(root, 'node_modules', '.storeloom-install');
  const wanted = wantedInstall();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const pnpm = packageManager();
  say(`installing the packages of the lock file (${pnpm}) …`);
  const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
  // Retry downloads before giving up, for busy machines and slow connections.
  const patience = [
    '--config.fetch-retries=5',
    '--config.fetch-timeout=300000',
    '--config.confirm-modules-purge=false',
    '--config.update-notifier=false',
  ];
  const status = await finish(npx, ['--yes', pnpm, 'install', '--frozen-lockfile', ...patience], {
    env: childEnvironment({ npm_config_loglevel: 'error' }),
    shell: process.platform === 'win32',
  }).catch((error) => {
    throw error.code === 'ENOENT'
      ? new Refusal('npx was not found: install npm, which comes with Node, and run this again')
      : error;
  });
  if (status !== 0) throw new Refusal(`the install failed (exit ${status}); see the output above`);
  writeFileSync(stamp, wanted);
}

/** Node 24: the installed package, otherwise the current process's. */
function findNode() {
  const bundled = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  // It is linked against glibc and doesn't start without it.
  if (existsSync(bundled) && spawnSync(bundled, ['--version']).status === 0) return bundled;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 7)) return process.execPath;
  throw new Refusal(
    `Storeloom runs on Node 24.7 or later, and none comes with it for this machine; this is Node ${process.versions.node}`,
  );
}

/** Only one process installs and builds in a clone at a time; others wait. */
async function alone(work) {
  const lock = join(root, 'node_modules', '.storeloom-bootstrap');
  const mine = `${lock}.${process.pid}`;
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(mine, String(process.pid));
  try {
    for (let waited = false; !taken(mine, lock); waited = true) {
      if (!waited) say('waiting for another process that installs or builds here …');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return await work();
  } finally {
    rmSync(mine, { force: true });
    if (existsSync(lock) && readFileSync(lock, 'utf8') === String(process.pid)) rmSync(lock, { force: true });
  }
}

function taken(mine, lock) {
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    // The process no longer exists (ESRCH), or the lock doesn't (ENOENT).
    if (error.code === 'ESRCH') rmSync(lock, { force: true });
  }
  return false;
}

/** Runs a program with this process's standard streams, forwards signals, and ends with its exit code. */
function become(node, args, env) {
  const child = spawn(node, args, { cwd: root, env, stdio: 'inherit' });
  for (const signal of signals) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to the child too, and a second signal would end it immediately.
      if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
    });
  }
  if (process.env.npm_lifecycle_event) {
    // A killed npm can't forward the signal.
    const npm = process.ppid;
    setInterval(() => process.ppid !== npm && child.kill('SIGTERM'), 500).unref();
  }
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

const isShop = (name) => existsSync(join(root, 'examples', `shop-${name}`, 'storeloom.config.ts'));

const shopNames = () =>
  readdirSync(join(root, 'examples'))
    .filter((folder) => folder.startsWith('shop-'))
    .map((folder) => folder.slice('shop-'.length))
    .filter(isShop);

/** `--example hotel` selects the installation in examples/shop-hotel, with its own data directory. */
function withExample(options) {
  const at = options.findIndex((option) => option === '--example' || option.startsWith('--example='));
  if (at < 0) return { options, env: {} };
  const joined = options[at].includes('=');
  const name = joined ? options[at].slice('--example='.length) : options[at + 1];
  const shops = shopNames();
  if (!shops.includes(name)) throw new Misuse(`--example ${name ?? ''} must be one of ${shops.join(', ')}`);
  const rest = options.filter((_, i) => i !== at && (joined || i !== at + 1));
  if (rest.some((option) => /^--(dir|example)(=|$)/.test(option)))
    throw new Misuse("--example can't be repeated or combined with --dir");
  const dir = join('examples', `shop-${name}`);
  return { options: ['--dir', dir, ...rest], env: { STORELOOM_DATA: process.env.STORELOOM_DATA || join(dir, '.storeloom') } };
}

async function main([name, ...given]) {
  const job = jobs[name];
  if (!job) {
    say(`usage: node tools/bootstrap.mjs ${Object.keys(jobs).join('|')} [options]`);
    process.exit(2);
  }
  if (Number(process.versions.node.split('.')[0]) < 18)
    throw new Refusal(`this needs Node 18 or later; this is ${process.versions.node}`);
  const { options, env: chosen } = name === 'start' ? withExample(given) : { options: given, env: {} };
  const { node, env } = await alone(async () => {
    await install();
    const found = findNode();
    const environment = childEnvironment({
      ...job.env,
      ...chosen,
      PATH: `${dirname(found)}${delimiter}${process.env.PATH ?? ''}`,
    });
    if (job.build) {
      const status = await finish(found, ['tools/build.mjs', ...job.build], { env: environment });
      if (status !== 0) throw new Refusal(`the build failed (exit ${status}); see the output above`);
    }
    return { node: found, env: environment };
  });
  // The program doesn't know the options that this file handles.
  if (name === 'start' && given.some((option) => option === '--help' || option === '-h'))
    process.stdout.write(
      `npm start -- [options] is \`storeloom dev\` in this repository, and has one option more:\n  --example <name>      one of the shops in examples/: ${shopNames().join(', ')}\n\n`,
    );
  if (job.program) become(node, [job.program, ...(job.options ?? []), ...options], env);
}

main(process.argv.slice(2)).catch((error) => {
  say(error instanceof Refusal ? error.message : error.stack);
  process.exit(error instanceof Misuse ? 2 : 1);
});

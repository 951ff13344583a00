// Executes the README of examples/plugin-hello outside the repository: runs each `sh` block in order, applies each `diff`, serves
// `storeloom dev` until the next block that is no request, and compares the output of a request with the `json` below it. Only the port
// differs, and `~` is a new folder. Needs a build. `--keep` keeps the folder.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root } from '../tools/workspace.mjs';

const readme = join(root, 'examples/plugin-hello/README.md');
const serve = 'npx storeloom dev';

const home = mkdtempSync(join(tmpdir(), 'storeloom-author-'));
// As root, PostgreSQL runs as another user, who must be able to enter the folder.
chmodSync(home, 0o711);
const port = await freePort();
const environment = {
  // Proxies and certificates of this machine, but nothing that would change what the README says.
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|STORELOOM_|TEST_|DATABASE_URL)/.test(name))),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: home,
  NO_COLOR: '1',
  PORT: String(port),
  // The packages that this machine has already are not fetched once more, and they come from where it gets its packages.
  npm_config_cache: npmSetting('cache'),
  npm_config_userconfig: npmSetting('userconfig'),
  npm_config_fund: 'false',
  npm_config_audit: 'false',
};

let folder = root;
let server;
let printed;
let blocks = 0;

try {
  for (const [, language, text] of readFileSync(readme, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    blocks += 1;
    if (language === 'sh') await sh(text);
    else if (language === 'diff') await run('patch -p1', text);
    else if (language === 'json') compare(text);
    else throw new Error(`blocks of ${language} are not supported`);
  }
  await stopServing();
  console.log(`${blocks} blocks of ${readme.slice(root.length + 1)} work as they stand`);
  if (!process.argv.includes('--keep')) rmSync(home, { recursive: true, force: true });
} catch (error) {
  if (server) process.kill(-server.child.pid, 'SIGINT');
  console.error(`${error.message}\n(${home} is left as it is)`);
  process.exitCode = 1;
}

async function sh(text) {
  const lines = text.trimEnd().split('\n');
  if (lines.every((line) => line.startsWith('curl '))) {
    printed = await run(text.replaceAll(':4000', `:${port}`));
    return;
  }
  await stopServing();
  const serves = lines.at(-1) === serve;
  if (serves) lines.pop();
  if (lines.length > 0) await run(lines.join('\n'));
  if (serves) await startServing();
}

/** Runs a block from where the last one left off. */
async function run(script, input) {
  const where = join(home, '.where');
  console.log(`── ${script.split('\n')[0]}`);
  const child = spawn('bash', ['-euo', 'pipefail', '-c', `${script}\npwd > ${where}`], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const said = listen(child);
  child.stdin.end(input ?? '');
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`exit ${code} of:\n${script}\n${said()}`);
  if (existsSync(where)) folder = readFileSync(where, 'utf8').trim();
  return said.out();
}

async function startServing() {
  console.log(`── ${serve}`);
  const child = spawn('bash', ['-c', `exec ${serve}`], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, to which Ctrl-C goes as a terminal sends it.
    detached: true,
  });
  const said = listen(child);
  server = { child, ended: once(child, 'close'), said };
  const deadline = Date.now() + 180_000;
  while (!/is ready in/.test(said.out())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`storeloom dev did not get ready:\n${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  if (/ is (failed|unlicensed|blocked|incompatible)/.test(said())) throw new Error(`a plugin did not load:\n${said()}`);
}

async function stopServing() {
  if (!server) return;
  const { child, ended, said } = server;
  server = undefined;
  process.kill(-child.pid, 'SIGINT');
  // npx ends by the signal itself, and its pipes close when what it started has ended too.
  const [code, signal] = await ended;
  if (code !== 0 && signal !== 'SIGINT') throw new Error(`storeloom dev ended with ${signal ?? code}:\n${said()}`);
}

function compare(text) {
  if (!isDeepStrictEqual(JSON.parse(printed), JSON.parse(text)))
    throw new Error(`the README promises\n${text}and the answer is\n${printed}`);
}

function listen(child) {
  let [out, all] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
    all += chunk;
  });
  child.stderr.on('data', (chunk) => {
    all += chunk;
  });
  return Object.assign(() => all, { out: () => out });
}

async function freePort() {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address();
  probe.close();
  return free;
}

function npmSetting(name) {
  return spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim();
}

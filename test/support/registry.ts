import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended, type Finished, leash } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string };

export interface RegistryProcess {
  readonly url: string;
  readonly keys: { keyid: string; key: string }[];
  readonly dir: string;
  log(): string;
  stop(): Promise<number | null>;
}

/** Runs a script of the registry package from the sources; gives the line that says where it serves, or the way it ended. */
export function registryScript(
  script: string,
  args: readonly string[],
): Promise<{ child: ChildProcess; line: string; log(): string }> {
  const child = spawn(
    process.execPath,
    ['--conditions=storeloom-source', '--no-warnings', `--import=${leash}`, resolve(root, 'packages/registry', script), ...args],
    { cwd: tmpdir(), env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let [stdout, said] = ['', ''];
  child.stderr?.on('data', (chunk) => (said += chunk));
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
      const line = /^(\{"registry":.*|http:.*)\n/m.exec(stdout)?.[1];
      if (line !== undefined) resolve({ child, line, log: () => stdout + said });
    });
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${stdout}${said}`)));
  });
}

/** `storeloom-registry` in a process of its own. */
export async function startRegistry(licenceServer: string, dir: string, port = 0): Promise<RegistryProcess> {
  const args = ['--licence-server', licenceServer, '--dir', dir, '--port', String(port)];
  const { child, line, log } = await registryScript('src/bin.ts', args);
  const { registry, keys } = JSON.parse(line) as { registry: string; keys: RegistryProcess['keys'] };
  return {
    url: registry,
    keys,
    dir,
    log,
    stop() {
      const gone = ended(child);
      child.kill('SIGTERM');
      return gone;
    },
  };
}

/** An npm user's machine: a home folder with the token line, a project folder with the scope line. */
export interface Workplace {
  readonly dir: string;
  write(path: string, text: string): void;
  /** Exit code and everything that was said. */
  npm(token: string | undefined, ...args: string[]): Promise<Finished>;
  pnpm(token: string | undefined, ...args: string[]): Promise<Finished>;
  remove(): void;
}

export function workplace(registry: string, scope: string): Workplace {
  const place = mkdtempSync(join(tmpdir(), 'storeloom-workplace-'));
  const [home, dir] = [join(place, 'home'), join(place, 'project')];
  mkdirSync(home);
  mkdirSync(dir);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  writeFileSync(join(home, '.npmrc'), `//${new URL(registry).host}/:_authToken=\${NPM_REGISTRY_TOKEN}\n`);
  write('.npmrc', `${scope}:registry=${registry}/\n`);
  write('package.json', JSON.stringify({ name: 'shop', version: '1.0.0', private: true }));
  const run = (command: string, args: readonly string[], token: string | undefined, env: object = {}): Promise<Finished> => {
    const child = spawn(command, args, {
      cwd: dir,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        npm_config_cache: join(place, 'cache'),
        npm_config_update_notifier: 'false',
        npm_config_fund: 'false',
        npm_config_audit: 'false',
        npm_config_fetch_retries: '0',
        NO_COLOR: '1',
        ...(token === undefined ? {} : { NPM_REGISTRY_TOKEN: token }),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
  };
  return {
    dir,
    write,
    npm: (token, ...args) => run('npm', args, token),
    // npx finds the pnpm of this repository in the machine's own cache.
    pnpm: (token, ...args) =>
      run('npx', ['--yes', packageManager, ...args], token, {
        HOME: process.env.HOME ?? '',
        npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? '', '.npm'),
        npm_config_userconfig: join(home, '.npmrc'),
        npm_config_store_dir: join(place, 'store'),
      }),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Koa from 'koa';
import { runServer } from 'verdaccio';
import { createGate, type Gate } from './gate.ts';
import { keepHouse } from './house.ts';
import { licenceServer } from './licence-server.ts';
import { Refusal, sendRefusal } from './refusal.ts';
import { registryRoutes } from './request.ts';
import { openSigner, type PublicKey } from './signing.ts';
import { maxTarball } from './tarball.ts';
import { groups } from './verdaccio.ts';

export interface RegistryOptions {
  /** Folder of packages and keys. */
  readonly dir: string;
  /** Address of the installation that issues the licences. */
  readonly licenceServer: string;
  readonly port: number;
  /** Default: this machine only; TLS is the matter of a proxy in front. */
  readonly host?: string;
  /** Address by which clients reach the registry, where it isn't the one that they call: behind a proxy. */
  readonly url?: string;
  /** Folder of Verdaccio's plugins. Default: the one of this package. */
  readonly plugins?: string;
  readonly onError?: (error: unknown) => void;
}
export interface Registry {
  readonly url: string;
  readonly port: number;
  keys(): PublicKey[];
  stop(): Promise<void>;
}

/** Base64 of the largest tarball, and what stands around it. */
const maxBody = Math.ceil((maxTarball * 4) / 3) + 4 * 1024 * 1024;
/** Who doesn't publish has little to say. */
const maxOtherBody = 64 * 1024;

/**
 * Starts the registry. Verdaccio falls open where a plugin doesn't load, so its doors are tried before the port is opened.
 * @throws Error where one of them isn't shut
 */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { dir, host = '127.0.0.1', onError } = options;
  const licences = licenceServer({ url: options.licenceServer });
  const gate = createGate({ licences, ...(onError ? { onError } : {}) });
  const signer = openSigner(dir);
  mkdirSync(join(dir, 'packages'), { recursive: true, mode: 0o700 });
  const taken = new Set<'auth' | 'middleware'>();
  const house = keepHouse({ gate, signer, url: options.url?.replace(/\/+$/, ''), taken });
  try {
    const verdaccio: Server = await runServer(configuration(dir, house.id, options.plugins) as never);
    const [handler] = verdaccio.listeners('request') as RequestListener[];
    if (!handler) throw new Error('Verdaccio made no server');
    if (taken.size < 2) throw notInForce('Verdaccio has not loaded it');
    await requireShut(handler, signer.keys());
    const server = createServer(frontOf(gate, handler, onError).callback());
    await listening(server, options.port, host);
    const { port } = server.address() as AddressInfo;
    return {
      port,
      url: options.url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
      keys: () => signer.keys(),
      async stop() {
        await closed(server);
        house.forget();
      },
    };
  } catch (error) {
    house.forget();
    throw error;
  }
}

/** What stands before Verdaccio: routes, admission, and a refusal for everything that goes wrong. */
function frontOf(gate: Gate, handler: RequestListener, onError: RegistryOptions['onError']): Koa {
  const front = new Koa();
  // The first middleware answers every error; Koa itself would print connections that clients cut.
  front.silent = true;
  front.use(async (koa, next) => {
    koa.respond = false;
    try {
      await next();
    } catch (error) {
      const known = error instanceof Refusal;
      if (!known) onError?.(error);
      sendRefusal(koa.res, known ? error : new Refusal('license_unknown', 'the request could not be judged', undefined, 5));
    }
  });
  front.use(registryRoutes);
  front.use(async ({ req }, next) => {
    await admit(gate, req);
    await next();
  });
  front.use(verdaccioOf(handler));
  return front;
}

const verdaccioOf =
  (handler: RequestListener): Koa.Middleware =>
  ({ req, res }) => {
    // Koa begins with 404, Express with 200.
    res.statusCode = 200;
    handler(req, res);
  };

const notInForce = (why: string): Error => new Error(`the access plugin is not in force (${why}): nothing is served`);

/** Strangers are sent away before Verdaccio reads what they send; the access plugin asks again. */
async function admit(gate: Gate, req: Parameters<Gate['admit']>[0]): Promise<void> {
  const { caller, request } = await gate.admit(req);
  const most = caller?.kind === 'publish' && request.kind === 'publish' ? maxBody : maxOtherBody;
  const length = Number(req.headers['content-length'] ?? 0);
  if (length > most || (req.headers['transfer-encoding'] !== undefined && caller?.kind !== 'publish'))
    throw new Refusal('package_too_large', `${length} bytes were sent, ${most} are taken`);
  // Verdaccio would unpack it, and a few bytes can be many.
  if ((req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new Refusal('package_refused', 'the body is compressed', 'Send it as it is');
}

function configuration(dir: string, house: string, plugins = fileURLToPath(new URL('../verdaccio', import.meta.url))) {
  return {
    configPath: join(dir, 'config.yaml'),
    storage: join(dir, 'packages'),
    plugins,
    auth: { storeloom: { house } },
    middlewares: { storeloom: { house } },
    // Nothing is fetched from elsewhere: what this registry doesn't have, it doesn't have.
    uplinks: {},
    packages: { '**': { access: groups.read, publish: groups.write, unpublish: 'nobody' } },
    publish: { allow_offline: true },
    max_body_size: maxBody,
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'error' },
  };
}

/** Behind each of these something would be had by nobody's right, were the access plugin not in force. */
const doors: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/@storeloom%2fplugin-door'],
  ['GET', '/@storeloom/plugin-door/1.0.0'],
  ['GET', '/@storeloom/plugin-door/-/plugin-door-1.0.0.tgz'],
  ['GET', '/-/package/@storeloom%2fplugin-door/dist-tags'],
  ['GET', '/-/v1/search?text=door'],
  ['GET', '/-/all'],
  ['GET', '/-/verdaccio/data/packages'],
  ['GET', '/-/whoami'],
  ['GET', '/-/npm/v1/user'],
  ['GET', '/-/npm/v1/tokens'],
  ['PUT', '/@storeloom%2fplugin-door'],
  ['PUT', '/-/user/org.couchdb.user:door'],
  ['DELETE', '/@storeloom%2fplugin-door/-rev/1'],
];

/** Tries the doors from inside, with no token and with one that nobody has. @throws Error */
async function requireShut(handler: RequestListener, keys: readonly PublicKey[]): Promise<void> {
  const inside = new Koa();
  inside.use((koa, next) => {
    koa.respond = false;
    return next();
  });
  inside.use(registryRoutes).use(verdaccioOf(handler));
  const server = createServer(inside.callback());
  await listening(server, 0, '127.0.0.1');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (const [method, path] of doors)
      for (const [token, code] of [
        [undefined, 'token_missing'],
        ['nobody', 'token_revoked'],
      ] as const) {
        const answer = await fetch(base + path, {
          method,
          headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
          ...(method === 'PUT' ? { body: '{}' } : {}),
        });
        const text = await answer.text();
        if (answer.status !== 403 || !text.startsWith(`{"error":"${code}:`))
          throw notInForce(`${method} ${path} answered ${answer.status}`);
      }
    const answer = await fetch(`${base}/-/npm/v1/keys`);
    if (JSON.stringify(await answer.json()) !== JSON.stringify({ keys })) throw notInForce('it does not show the keys');
  } finally {
    await closed(server);
  }
}

const listening = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
const closed = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 5_000).unref();
  });

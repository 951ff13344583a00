import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Koa from 'koa';
import { runServer } from 'verdaccio';
import { createGate, type Gate } from './gate.ts';
import { registerContext } from './gate-context.ts';
import { licenceServer } from './licence-server.ts';
import { Refusal, sendRefusal } from './refusal.ts';
import { registryRoutes } from './request.ts';
import { openSigner, type PublicKey } from './signing.ts';
import { maxTarball } from './tarball.ts';
import { groups } from './verdaccio.ts';

export interface RegistryOptions {
  /** Folder for packages and keys. */
  readonly dir: string;
  /** URL of the installation that issues the licences. */
  readonly licenceServer: string;
  readonly port: number;
  /** Default: localhost. A proxy in front provides TLS. */
  readonly host?: string;
  /** Public URL of the registry behind a proxy. Default: the URL of the request. */
  readonly url?: string;
  /** Folder of Verdaccio's plugins. Default: that of this package. */
  readonly plugins?: string;
  readonly onError?: (error: unknown) => void;
}
export interface Registry {
  readonly url: string;
  readonly port: number;
  keys(): PublicKey[];
  stop(): Promise<void>;
}

/** Size of the largest tarball in base64, plus the surrounding JSON. */
const maxBody = Math.ceil((maxTarball * 4) / 3) + 4 * 1024 * 1024;
/** Limit for requests that don't publish. */
const maxOtherBody = 64 * 1024;

/**
 * Starts the registry. Verdaccio allows access if its access plugin doesn't load, so the start probes the protected routes before it
 * opens the port.
 * @throws Error if a route doesn't deny access
 */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { dir, host = '127.0.0.1', onError } = options;
  const licences = licenceServer({ url: options.licenceServer });
  const gate = createGate({ licences, ...(onError ? { onError } : {}) });
  const signer = openSigner(dir);
  mkdirSync(join(dir, 'packages'), { recursive: true, mode: 0o700 });
  const loaded = new Set<'auth' | 'middleware'>();
  const context = registerContext({ gate, signer, url: options.url?.replace(/\/+$/, ''), loaded });
  try {
    const verdaccio: Server = await runServer(configuration(dir, context.id, options.plugins));
    const [handler] = verdaccio.listeners('request') as RequestListener[];
    if (!handler) throw new Error('Verdaccio created no server');
    if (loaded.size < 2) throw notInForce('Verdaccio has not loaded it');
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
        context.unregister();
      },
    };
  } catch (error) {
    context.unregister();
    throw error;
  }
}

/** The middleware in front of Verdaccio: routes, admission, and a refusal for every error. */
function frontOf(gate: Gate, handler: RequestListener, onError: RegistryOptions['onError']): Koa {
  const front = new Koa();
  // The first middleware handles every error; Koa would log aborted connections.
  front.silent = true;
  front.use(async (koa, next) => {
    koa.respond = false;
    try {
      await next();
    } catch (error) {
      const known = error instanceof Refusal;
      if (!known) onError?.(error);
      sendRefusal(koa.res, known ? error : new Refusal('license_unknown', 'the request could not be checked', undefined, 5));
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
    // The initial status is 404 in Koa and 200 in Express.
    res.statusCode = 200;
    handler(req, res);
  };

const notInForce = (why: string): Error => new Error(`the access plugin is not active (${why}): nothing is served`);

/** Refuses unknown callers before Verdaccio reads their body. The access plugin checks again. */
async function admit(gate: Gate, req: Parameters<Gate['admit']>[0]): Promise<void> {
  const { caller, request } = await gate.admit(req);
  const most = caller?.kind === 'publish' && request.kind === 'publish' ? maxBody : maxOtherBody;
  const length = Number(req.headers['content-length'] ?? 0);
  if (length > most || (req.headers['transfer-encoding'] !== undefined && caller?.kind !== 'publish'))
    throw new Refusal('package_too_large', `the body has ${length} bytes; the limit is ${most}`);
  // Verdaccio would decompress the body, which can be a decompression bomb.
  if ((req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new Refusal('package_refused', 'the body is compressed', 'Send it uncompressed');
}

function configuration(dir: string, context: string, plugins = fileURLToPath(new URL('../verdaccio', import.meta.url))) {
  return {
    configPath: join(dir, 'config.yaml'),
    storage: join(dir, 'packages'),
    plugins,
    auth: { storeloom: { context } },
    middlewares: { storeloom: { context } },
    // No uplinks: packages are never fetched from other registries.
    uplinks: {},
    packages: { '**': { access: groups.read, publish: groups.write, unpublish: 'nobody' } },
    publish: { allow_offline: true },
    max_body_size: maxBody,
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'error' },
  };
}

/** Routes that would be accessible without authorization if the access plugin weren't active. */
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

/** Probes the routes internally, without a token and with an unknown one. @throws Error */
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
          throw notInForce(`${method} ${path} responded with ${answer.status}`);
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

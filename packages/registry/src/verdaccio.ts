import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, requirePublisher } from './coverage.ts';
import { contextOf, type GateContext } from './gate-context.ts';
import { abbreviated, addressed, full, type Packument, versionFor, visible } from './packument.ts';
import { prepared } from './publish.ts';
import { Refusal, sendJson, sendRefusal } from './refusal.ts';
import { canonicalUrl, type RegistryRequest } from './request.ts';
import { search } from './search.ts';

/** The used part of Verdaccio's storage; its callbacks receive an error with a status. */
interface Storage {
  getPackage(options: {
    name: string;
    req: IncomingMessage;
    uplinksLook: boolean;
    callback(error: { status?: number } | null, packument?: Packument): void;
  }): void;
  /** Lists names only; Verdaccio's own list reads every package. */
  localStorage: { storagePlugin: { get(callback: (error: Error | null, names?: string[]) => void): void } };
}
type Req = IncomingMessage & { body?: unknown; url: string; remote_user?: RemoteUser };
type Next = (error?: unknown) => void;
interface App {
  use(handler: (req: Req, res: ServerResponse, next: Next) => void): void;
}
interface RemoteUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly real_groups: readonly string[];
}
type Allowed = (error: Error | null, allowed?: boolean) => void;

/** Groups granted by this plugin only; the configuration gives access to no other group. */
export const groups = { read: 'storeloom-licensed', write: 'storeloom-publisher' } as const;

const userOf = (caller: Caller): RemoteUser => {
  const granted = caller.kind === 'publish' ? [groups.read, groups.write] : [groups.read];
  return { name: caller.kind === 'publish' ? 'publisher' : caller.licenseId, groups: granted, real_groups: granted };
};

/**
 * Verdaccio's access plugin, for `auth` and `middlewares`. It identifies the caller, handles the requests that depend on a licence, and
 * leaves serving tarballs and storing publications to Verdaccio.
 */
export default function accessPlugin({ context }: { context: string }) {
  const { gate, signer, url, loaded } = contextOf(context);
  const refused = (res: ServerResponse, error: unknown, next: Next): void =>
    error instanceof Refusal ? sendRefusal(res, error) : next(error);
  const allow =
    (group: string) =>
    (user: Partial<RemoteUser>, pkg: { name: string }, done: Allowed): void =>
      user.groups?.includes(group)
        ? done(null, true)
        : done(Object.assign(new Error(`not_in_license: this token has no access to ${pkg.name}`), { status: 403 }));

  return {
    version: 1,
    /** Disables Verdaccio's own sign-in: tokens belong to licences. */
    authenticate: (_user: string, _password: string, done: (error: null, groups: false) => void): void => done(null, false),
    adduser: (_user: string, _password: string, done: (error: Error) => void): void =>
      done(Object.assign(new Error('tokens of this registry come from licences'), { status: 403 })),
    allow_access: allow(groups.read),
    allow_publish: allow(groups.write),
    allow_unpublish: (_user: unknown, { name }: { name: string }, done: Allowed): void =>
      done(Object.assign(new Error(`${name} can not be unpublished: licences refer to its versions`), { status: 403 })),
    apiJWTmiddleware: () => {
      loaded.add('auth');
      return (req: Req, res: ServerResponse, next: Next) => {
        gate.admit(req).then(
          ({ caller }) => {
            req.remote_user = caller === null ? { name: '', groups: [], real_groups: [] } : userOf(caller);
            next();
          },
          (error: unknown) => refused(res, error, next),
        );
      };
    },
    register_middlewares(app: App, _auth: unknown, storage: Storage): void {
      loaded.add('middleware');
      app.use((req, res, next) => {
        gate
          .admit(req)
          .then(({ request, caller }) =>
            caller === null
              ? open(request, res, signer)
              : serve({ request, caller, req, res, next, storage, signer, base: url ?? addressOf(req) }),
          )
          .catch((error: unknown) => refused(res, error, next));
      });
    },
  };
}

function open(request: RegistryRequest, res: ServerResponse, signer: GateContext['signer']): void {
  if (request.kind === 'keys') sendJson(res, { keys: signer.keys() }, { 'cache-control': 'public, max-age=300' });
  else sendJson(res, {});
}

interface Served {
  request: RegistryRequest;
  caller: Caller;
  req: Req;
  res: ServerResponse;
  next: Next;
  storage: Storage;
  signer: GateContext['signer'];
  base: string;
}

async function serve({ request, caller, req, res, next, storage, signer, base }: Served): Promise<void> {
  const load = async (name: string): Promise<Packument> => {
    const found = await stored(storage, name, req);
    if (found === undefined) throw new Refusal('not_found', `there is no package ${name} here`);
    return found;
  };
  const tagged = async (name: string, version: string): Promise<void> => {
    if (!Object.hasOwn((await load(name)).versions, version)) throw new Refusal('not_found', `there is no ${name}@${version}`);
  };
  switch (request.kind) {
    case 'whoami':
      return sendJson(res, { username: userOf(caller).name });
    case 'search': {
      const seen = async (name: string): Promise<Packument | undefined> => {
        const packument = await stored(storage, name, req);
        return packument && ifVisible(packument, caller);
      };
      return sendJson(res, await search(await packageNames(storage), seen, request));
    }
    case 'packument': {
      const part = visible(await load(request.name), caller);
      const short = (req.headers.accept ?? '').includes('application/vnd.npm.install-v1+json');
      return sendPackument(req, res, short ? abbreviated(part, base) : full(part, base), short);
    }
    case 'version': {
      const version = versionFor(await load(request.name), caller, request.version);
      if (!version) throw new Refusal('not_found', `there is no ${request.name}@${request.version}`);
      return sendPackument(req, res, addressed(version, base), false);
    }
    case 'tags':
      return sendJson(res, visible(await load(request.name), caller)['dist-tags']);
    case 'tarball':
      if (!versionFor(await load(request.name), caller, request.version))
        throw new Refusal('not_found', `there is no ${request.name}@${request.version}`);
      res.setHeader('cache-control', 'private, no-cache');
      break;
    case 'publish':
      requirePublisher(caller, request.name);
      req.body = await prepared(request.name, req.body, signer);
      await turnOf(request.name, res);
      break;
    case 'tag':
      requirePublisher(caller, request.name);
      await tagged(request.name, String(req.body));
      break;
    case 'untag':
      requirePublisher(caller, request.name);
      if (request.tag === 'latest')
        throw new Refusal('package_refused', 'the tag latest can not be removed', 'Point it at another version');
      await load(request.name);
      break;
  }
  req.url = canonicalUrl(request);
  next();
}

const turns = new Map<string, Promise<void>>();
/** Serialises publications of a package: the storage fails on concurrent ones. */
async function turnOf(name: string, res: ServerResponse): Promise<void> {
  const before = turns.get(name) ?? Promise.resolve();
  const mine = before.then(() => (res.closed ? undefined : new Promise<void>((resolve) => res.once('close', resolve))));
  turns.set(name, mine);
  void mine.then(() => {
    if (turns.get(name) === mine) turns.delete(name);
  });
  await before;
}

/** Responses differ per licence: only the client may cache them, and must revalidate. */
function sendPackument(req: Req, res: ServerResponse, value: unknown, short: boolean): void {
  const body = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const headers = { etag, vary: 'Authorization, Accept', 'cache-control': 'private, no-cache' };
  if ((req.headers['if-none-match'] ?? '').split(/, */).some((tag) => tag.replace(/^W\//, '') === etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  res.writeHead(200, {
    ...headers,
    'content-type': short ? 'application/vnd.npm.install-v1+json; charset=utf-8' : 'application/json; charset=utf-8',
  });
  res.end(body);
}

const stored = (storage: Storage, name: string, req: IncomingMessage): Promise<Packument | undefined> =>
  new Promise((resolve, reject) =>
    storage.getPackage({
      name,
      req,
      uplinksLook: false,
      callback: (error, packument) => {
        if (error && error.status !== 404) reject(error);
        else resolve(error ? undefined : packument);
      },
    }),
  );
const packageNames = (storage: Storage): Promise<string[]> =>
  new Promise((resolve, reject) =>
    storage.localStorage.storagePlugin.get((error, names = []) => (error ? reject(error) : resolve(names))),
  );

function ifVisible(packument: Packument, caller: Caller): Packument | undefined {
  try {
    return visible(packument, caller);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The URL by which the caller reached the registry; its next requests, with the same token, go there too. */
function addressOf(req: IncomingMessage): string {
  const host = req.headers.host ?? '';
  if (!/^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?$/i.test(host)) throw new Refusal('not_found', 'the request has no valid host');
  return `http://${host}`;
}

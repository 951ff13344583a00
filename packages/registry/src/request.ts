import semver from 'semver';

/** What the registry answers; everything else that Verdaccio could do is closed. */
export type RegistryRequest =
  | { readonly kind: 'ping' | 'keys' | 'whoami' }
  | { readonly kind: 'search'; readonly text: string; readonly from: number; readonly size: number }
  | { readonly kind: 'packument'; readonly name: string }
  | { readonly kind: 'version'; readonly name: string; readonly version: string }
  | { readonly kind: 'tarball'; readonly name: string; readonly version: string }
  | { readonly kind: 'tags'; readonly name: string }
  | { readonly kind: 'publish'; readonly name: string }
  | { readonly kind: 'tag' | 'untag'; readonly name: string; readonly tag: string };

const namePattern = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const isPackageName = (text: string): boolean => text.length <= 214 && namePattern.test(text);
const tagPattern = /^[a-z][a-z0-9._-]{0,63}$/i;
/** A tag that reads as a range would hide it. */
export const isTag = (text: string): boolean => tagPattern.test(text) && semver.validRange(text) === null;
const isVersion = (text: string): boolean => semver.valid(text) === text;

/** `@acme/hotel` → `hotel`. */
export const unscoped = (name: string): string => name.slice(name.indexOf('/') + 1);
export const tarballName = (name: string, version: string): string => `${unscoped(name)}-${version}.tgz`;

/** Undefined: there is no such thing here. */
export function parseRequest(method: string, target: string): RegistryRequest | undefined {
  const [path = '', query = ''] = target.split('?', 2);
  const segments: string[] = [];
  for (const part of path.split('/').slice(1)) {
    const plain = decoded(part);
    if (plain === undefined || plain === '' || plain === '.' || plain === '..') return undefined;
    // A scope's slash comes encoded or plain: `/@acme%2fhotel`, `/@acme/hotel`.
    segments.push(...(plain.startsWith('@') ? plain.split('/') : [plain]));
  }
  const reads = method === 'GET' || method === 'HEAD';
  if (segments[0] === '-') return special(method, reads, segments.slice(1), new URLSearchParams(query));
  const { name, rest } = named(segments);
  if (name === undefined) return undefined;
  if (method === 'PUT' && rest.length === 0) return { kind: 'publish', name };
  if (!reads) return undefined;
  if (rest.length === 0) return { kind: 'packument', name };
  const [first = '', second = ''] = rest;
  if (rest.length === 1) return isVersion(first) || isTag(first) ? { kind: 'version', name, version: first } : undefined;
  if (rest.length !== 2 || first !== '-') return undefined;
  const start = `${unscoped(name)}-`;
  const version = second.startsWith(start) && second.endsWith('.tgz') ? second.slice(start.length, -'.tgz'.length) : '';
  return isVersion(version) ? { kind: 'tarball', name, version } : undefined;
}

function special(method: string, reads: boolean, path: readonly string[], query: URLSearchParams): RegistryRequest | undefined {
  const joined = path.join('/');
  if (reads && (joined === 'ping' || joined === 'whoami')) return { kind: joined };
  if (reads && joined === 'npm/v1/keys') return { kind: 'keys' };
  if (reads && joined === 'v1/search') {
    const number = (key: string, fallback: number): number => Number(query.get(key) ?? fallback);
    const [from, size] = [number('from', 0), number('size', 20)];
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(size) || from < 0 || size < 0 || size > 250) return undefined;
    return { kind: 'search', text: (query.get('text') ?? '').slice(0, 200), from, size };
  }
  if (path[0] !== 'package') return undefined;
  const { name, rest } = named(path.slice(1));
  const [word, tag] = rest;
  if (name === undefined || word !== 'dist-tags' || rest.length > 2) return undefined;
  if (tag === undefined) return reads ? { kind: 'tags', name } : undefined;
  if (!isTag(tag)) return undefined;
  if (method === 'PUT' || method === 'POST') return { kind: 'tag', name, tag };
  return method === 'DELETE' ? { kind: 'untag', name, tag } : undefined;
}

/** Once: what is encoded twice stays encoded, and is no name then. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function named(segments: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const parts = segments[0]?.startsWith('@') ? 2 : 1;
  const name = segments.slice(0, parts).join('/');
  return { name: isPackageName(name) ? name : undefined, rest: segments.slice(parts) };
}

/** The one spelling that Verdaccio is given, so that it reads what was checked here and nothing else. */
export function canonicalUrl(request: RegistryRequest): string {
  const name = 'name' in request ? encodeURIComponent(request.name).replace(/^%40/, '@') : '';
  switch (request.kind) {
    case 'tarball':
      return `/${name}/-/${tarballName(request.name, request.version)}`;
    case 'publish':
      return `/${name}`;
    case 'tag':
    case 'untag':
      return `/-/package/${name}/dist-tags/${request.tag}`;
    default:
      throw new Error(`${request.kind} is answered by the gate itself`);
  }
}

import { BlockList, isIP } from 'node:net';
import { type Ctx, invalid, isMask, maskSecret } from '@storeloom/plugin-sdk';

/** As stored, with sealed secrets. */
export type Credentials = Record<string, string>;
/** Properties that aren't secret. All others are sealed and masked. */
const publicProperties = new Set(['baseUrl', 'username']);
const maxMembers = 20;

/** Throws 422 for invalid credentials, webhook secrets or allowed networks. */
export function checkCredentials(body: {
  credentials: Record<string, unknown>;
  verification: string;
  webhookSecret: string | null;
  allowedIps: readonly string[];
}): void {
  const members = Object.entries(body.credentials);
  if (members.length > maxMembers) throw invalid('/credentials', 'too_many', `must have at most ${maxMembers} properties`);
  for (const [name, value] of members) {
    if (!/^[A-Za-z][A-Za-z0-9_]{0,59}$/.test(name))
      throw invalid('/credentials', 'invalid', 'must have names of letters, digits and _');
    if (value !== null && (typeof value !== 'string' || value === '' || value.length > 4000 || value.includes('\0')))
      throw invalid(`/credentials/${name}`, 'invalid', 'must be text of 1 to 4000 characters, or null');
  }
  const { baseUrl } = body.credentials;
  if (typeof baseUrl === 'string' && (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)))
    throw invalid('/credentials/baseUrl', 'invalid', 'must be an https URL');
  if (
    body.verification === 'basic' &&
    body.webhookSecret !== null &&
    !isMask(body.webhookSecret) &&
    !body.webhookSecret.includes(':')
  )
    throw invalid('/webhookSecret', 'invalid', 'must be user:password for basic verification');
  body.allowedIps.forEach((text, i) => {
    if (!readNetwork(text))
      throw invalid(`/allowedIps/${i}`, 'invalid', 'must be an IP address or a network such as 203.0.113.0/24');
  });
}

interface Network {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}
function readNetwork(text: string): Network | undefined {
  const [address = '', length, more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more !== undefined) return undefined;
  const most = version === 4 ? 32 : 128;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefix = length === undefined ? most : Number(length);
  return prefix <= most ? { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** Treats an IPv4-mapped IPv6 address as IPv4. */
export function isAllowed(networks: readonly string[], ip: string | null): boolean {
  const plain = ip?.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '') ?? '';
  const version = isIP(plain);
  if (version === 0) return false;
  const allowed = new BlockList();
  for (const text of networks) {
    const network = readNetwork(text);
    if (network) allowed.addSubnet(network.address, network.prefix, network.family);
  }
  return allowed.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

/** Merges an update: a masked value keeps the stored one, null removes it. */
export function mergeCredentials(ctx: Pick<Ctx, 'seal'>, given: Record<string, unknown>, stored: Credentials): Credentials {
  const kept: Credentials = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') continue;
    if (isMask(value)) {
      if (stored[name] !== undefined) kept[name] = stored[name];
    } else kept[name] = publicProperties.has(name) ? value : ctx.seal(value);
  }
  return kept;
}

export function unsealCredentials(ctx: Pick<Ctx, 'unseal'>, stored: Credentials): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, publicProperties.has(name) ? value : ctx.unseal(value)]),
  );
}

export function maskCredentials(ctx: Pick<Ctx, 'unseal'>, stored: Credentials): Credentials {
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, publicProperties.has(name) ? value : maskSecret(ctx.unseal(value))]),
  );
}

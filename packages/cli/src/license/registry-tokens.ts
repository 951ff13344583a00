import { service } from '@storeloom/plugin-sdk';
import type { InstallationOptions } from '../installation.ts';
import type { Lifetime } from '../lifetime.ts';
import { asPlatform, openBeside } from '../platform.ts';

/** The token service of plugin platform; equal by id to the token in its contract. */
interface RegistryTokens {
  ofLicence(licenseId: string): Promise<string>;
  publisher(publisher: { name: string; packages: readonly string[] }): Promise<{ id: string; token: string }>;
  all(): Promise<
    { id: string; kind: string; licenseId: string | null; packages: string[] | null; name: string; revokedAt: string | null }[]
  >;
  revoke(id: string): Promise<boolean>;
}
const registryTokens = service<RegistryTokens>('platform:registry-tokens');

interface TokenOptions extends InstallationOptions {
  json?: boolean;
}
export interface PublisherOptions extends TokenOptions {
  name: string;
}

async function withTokens(
  options: TokenOptions,
  life: Lifetime,
  work: (tokens: RegistryTokens) => Promise<number>,
): Promise<number> {
  return asPlatform(await openBeside(options, life), life, (ctx) => work(ctx.require(registryTokens)));
}

const print = (options: TokenOptions, value: unknown, text: string): number => {
  process.stdout.write(`${options.json ? JSON.stringify(value) : text}\n`);
  return 0;
};

/** Shows the token for installing the packages of a licence. */
export const licenceToken = (licenseId: string, options: TokenOptions, life: Lifetime): Promise<number> =>
  withTokens(options, life, async (tokens) => {
    const token = await tokens.ofLicence(licenseId);
    return print(options, { token }, token);
  });

/** Creates a token for publishing the given packages and prints it, once. */
export const publisherToken = (packages: string[], options: PublisherOptions, life: Lifetime): Promise<number> =>
  withTokens(options, life, async (tokens) => {
    const made = await tokens.publisher({ name: options.name, packages });
    return print(options, made, made.token);
  });

export const listTokens = (options: TokenOptions, life: Lifetime): Promise<number> =>
  withTokens(options, life, async (tokens) => {
    const all = await tokens.all();
    const line = ({ id, kind, licenseId, packages, name, revokedAt }: (typeof all)[number]): string =>
      [id, revokedAt === null ? 'live   ' : 'revoked', kind, name, licenseId ?? packages?.join(' ') ?? ''].join('  ');
    return print(options, all, all.map(line).join('\n'));
  });

/** Exit code 1 if there is no valid token with the id. */
export const revokeToken = (id: string, options: TokenOptions, life: Lifetime): Promise<number> =>
  withTokens(options, life, async (tokens) => {
    if (await tokens.revoke(id)) return 0;
    process.stderr.write(`no live token has the id ${id}\n`);
    return 1;
  });

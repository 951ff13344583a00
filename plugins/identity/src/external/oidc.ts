import { createHash } from 'node:crypto';
import { type Ctx, f, http, type PlatformCtx, problem, type Shape } from '@storeloom/plugin-sdk';
import { LRUCache } from 'lru-cache';
import type { Configuration, CustomFetch } from 'openid-client';

export const providers = ['idp-a', 'idp-b'] as const;
export type Provider = (typeof providers)[number];

/** Two OpenID Connect providers a shop may offer its customers. All three values switch one on. */
export const providerSettings = {
  /** Address that stands as `issuer` in the provider's metadata. */
  idpAIssuer: f.url().optional(),
  idpAClientId: f.text({ max: 300 }).optional(),
  idpAClientSecret: f.secret().optional(),
  idpBIssuer: f.url().optional(),
  idpBClientId: f.text({ max: 300 }).optional(),
  idpBClientSecret: f.secret().optional(),
} satisfies Shape;

interface Client {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

function clientOf(ctx: Ctx, provider: Provider): Client {
  const values = ctx.settings(providerSettings);
  const [issuer, clientId, clientSecret] =
    provider === 'idp-a'
      ? [values.idpAIssuer, values.idpAClientId, values.idpAClientSecret]
      : [values.idpBIssuer, values.idpBClientId, values.idpBClientSecret];
  if (!issuer || !clientId || !clientSecret)
    throw problem('provider_not_configured', { provider, detail: `Sign-in through ${provider} isn't configured for this shop.` });
  return { issuer, clientId, clientSecret };
}

/** A tenth of a second of a boot, for what many installations never do. */
const library = () => import('openid-client');

/** The provider's metadata and keys are asked for again after this. Milliseconds. */
const known = new LRUCache<string, Promise<Configuration>>({ max: 500, ttl: 600_000 });

/** Sends requests through the guard, since the URL of a provider is user input. */
function guarded(ctx: PlatformCtx): CustomFetch {
  return async (url, { method, headers, body }) => {
    const sent = body instanceof URLSearchParams ? body.toString() : body;
    if (sent !== undefined && sent !== null && typeof sent !== 'string') throw new TypeError('a body of this kind is not sent');
    const answer = await ctx
      .require(http)
      .fetch(url, { method, headers, timeoutMs: 10_000, maxBytes: 1024 * 1024, ...(sent ? { body: sent } : {}) });
    return new Response(answer.body.length === 0 ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

async function discover(ctx: PlatformCtx, { issuer, clientId, clientSecret }: Client): Promise<Configuration> {
  const oidc = await library();
  // The guard lets http pass in development only.
  const insecure = issuer.startsWith('http:');
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
    [oidc.customFetch]: guarded(ctx),
    execute: insecure ? [oidc.allowInsecureRequests] : [],
  });
  const server = found.serverMetadata();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
  const configuration = new oidc.Configuration(server, clientId, { client_secret: clientSecret }, authentication(clientSecret));
  configuration[oidc.customFetch] = guarded(ctx);
  if (insecure) oidc.allowInsecureRequests(configuration);
  oidc.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** 501 `provider_not_configured`, 503 `unavailable` when the provider doesn't answer as one. */
async function configurationOf(ctx: PlatformCtx, tenantId: string, provider: Provider): Promise<Configuration> {
  const client = await ctx.withTenant(tenantId, async (tenant) => clientOf(tenant, provider), { readOnly: true });
  const key = createHash('sha256')
    .update(JSON.stringify([tenantId, provider, client]))
    .digest('base64url');
  let configuration = known.get(key);
  if (!configuration) {
    configuration = discover(ctx, client);
    known.set(key, configuration);
    configuration.catch(() => known.delete(key));
  }
  try {
    return await configuration;
  } catch (error) {
    ctx.log.warn(
      { reason: reasonOf(error), provider, tenantId, requestId: ctx.requestId },
      'an identity provider could not be reached',
    );
    throw problem('unavailable', { detail: 'The identity provider did not respond.', provider, retryAfter: 30 });
  }
}

export interface Attempt {
  readonly provider: Provider;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Where the browser goes: code flow with PKCE, state and nonce. */
export async function authorizationUrl(
  ctx: PlatformCtx,
  tenantId: string,
  attempt: Attempt,
  redirectUri: string,
): Promise<string> {
  const configuration = await configurationOf(ctx, tenantId, attempt.provider);
  const oidc = await library();
  return oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  }).href;
}

/** A user's identity at a provider. `email` is null unless the provider has verified it. */
export interface ExternalIdentity {
  readonly provider: Provider;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** `refused`: the person said no. `failed`: the provider's answer doesn't hold. */
export class ExternalSignInError extends Error {
  override readonly name = 'ExternalSignInError';
  readonly code: 'access_denied' | 'provider_failed';
  constructor(code: 'access_denied' | 'provider_failed', cause: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Returns the reason for the log, without the claims and responses in the library's errors, which are personal data. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return `${error.name}${typeof code === 'string' ? ` ${code}` : ''}: ${error.message.slice(0, 200)}`;
}

/** Exchanges the code of a callback. Checked: state, issuer, audience, signature, times, nonce; the code is bound to the attempt by PKCE. */
export async function identityOf(ctx: PlatformCtx, tenantId: string, attempt: Attempt, callback: URL): Promise<ExternalIdentity> {
  const configuration = await configurationOf(ctx, tenantId, attempt.provider);
  const oidc = await library();
  try {
    const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    const info =
      claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims;
    return {
      provider: attempt.provider,
      issuer: claims.iss,
      subject: claims.sub,
      email: vouched(info.email_verified) ? textOf(info.email, 254) : null,
      firstName: textOf(info.given_name, 100),
      lastName: textOf(info.family_name, 100),
    };
  } catch (error) {
    const denied = error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied';
    throw new ExternalSignInError(denied ? 'access_denied' : 'provider_failed', error);
  }
}
/** A boolean by the standard; some providers write it as text. */
const vouched = (value: unknown): boolean => value === true || value === 'true';
function textOf(value: unknown, max: number): string | null {
  const text = typeof value === 'string' ? value.normalize('NFC').replaceAll('\0', '').trim() : '';
  return text === '' || text.length > max || !text.isWellFormed() ? null : text;
}

import { f, type PlatformCtx, platformRoute, problem, type Req, reply, type Shape } from '@storeloom/plugin-sdk';
import { equalSecrets } from '@storeloom/plugin-sdk/public';
import { randomSecret } from '../secrets.ts';
import { cookieSession } from '../session/caller.ts';
import { attemptCookie, attemptOfCookie, isLocal, sessionCookie } from '../session/cookies.ts';
import { shopOf } from '../session/login.ts';
import { customerVersion, later } from '../session/sessions.ts';
import { newSession } from '../session/sign-in.ts';
import { customerOf, linkTo } from './identity.ts';
import { authorizationUrl, ExternalSignInError, identityOf, type Provider, providers, reasonOf } from './oidc.ts';

/** From the start to the callback. Seconds. */
const attemptLasts = 600;

type AnyReq = Pick<Req<unknown, unknown, unknown>, 'host' | 'headers' | 'cookies'>;

/** The host has been found to be one of the shop's; only its port is the caller's word. */
function originOf({ host, headers }: AnyReq): string {
  const port = /:(\d{1,5})$/.exec(headers.host ?? '')?.[0] ?? '';
  return `${isLocal(host) ? 'http' : 'https'}://${host}${port}`;
}
/** The provider knows this one address; the versioned mirror comes back to it too. */
const redirectUri = (req: AnyReq, provider: Provider): string => `${originOf(req)}/api/auth/${provider}/callback`;

/** A path on the shop's own host, and nothing that a browser takes for another. */
function checkReturn(path: string): string {
  const here = 'https://here.invalid';
  const fits = /^\/(?![/\\])[^\\\s]*$/.test(path) && URL.canParse(path, here) && new URL(path, here).origin === here;
  if (!fits)
    throw problem('invalid_parameter', { parameter: 'returnTo', detail: 'returnTo must be a path of this shop, as /account.' });
  return path;
}
function backTo(req: AnyReq, path: string, error?: string): string {
  const url = new URL(path, originOf(req));
  if (error !== undefined) url.searchParams.set('error', error);
  return url.href;
}

/** Returns the customer who links an identity: signed in by cookie, on a page of the shop, so that another site can't link an attacker's identity. */
async function linkingCustomer(ctx: PlatformCtx, req: AnyReq): Promise<{ customerId: string; sessionId: string }> {
  if (req.headers['sec-fetch-site'] !== 'same-origin')
    throw problem('csrf_failed', { detail: 'Linking must start on a page of the shop.' });
  const session = await cookieSession(ctx, req, ['storefront']);
  return { customerId: session.id, sessionId: session.sessionId };
}

const begin = (provider: Provider) =>
  platformRoute(
    'GET',
    `/${provider}`,
    {
      summary: 'Sign a customer in through the identity provider, or link an identity to who is signed in',
      query: {
        /** Path on this host where the browser ends; `error` is added when it didn't work. */
        returnTo: f.text({ max: 1000 }).default('/'),
        /** Links the identity to the customer who is signed in by cookie. */
        link: f.bool().default(false),
      },
      status: 302,
      rateLimit: { name: 'identity-provider', points: 60, seconds: 60, by: 'ip' },
      problems: [
        'tenant_not_found',
        'tenant_suspended',
        'provider_not_configured',
        'unauthenticated',
        'csrf_failed',
        'unavailable',
      ],
    },
    async (ctx, req) => {
      const tenantId = shopOf(ctx);
      const returnTo = checkReturn(req.query.returnTo);
      const attempt = { provider, state: randomSecret(), nonce: randomSecret(), verifier: randomSecret() };
      const location = await authorizationUrl(ctx, tenantId, attempt, redirectUri(req, provider));
      const linking = req.query.link ? await linkingCustomer(ctx, req) : null;
      const expiresAt = later(ctx.clock.ms(), attemptLasts);
      const cookie = attemptCookie(ctx, req.host, { ...attempt, tenantId, returnTo, linking, expiresAt }, attemptLasts);
      return reply(302, undefined, { location, 'set-cookie': cookie });
    },
  );

const callbackQuery = {
  state: f.text({ max: 1000 }).describe('As the sign-in was begun with.'),
  code: f.text({ max: 4000 }).optional().describe('What the provider exchanges for its tokens.'),
  error: f.text({ max: 200 }).optional().describe('Why the provider refused, instead of a code.'),
  iss: f.url().optional().describe('The provider, by RFC 9207.'),
  '*': f.json().describe('What else the provider adds.'),
} satisfies Shape;

const callback = (provider: Provider) =>
  platformRoute(
    'GET',
    `/${provider}/callback`,
    {
      summary: 'Where the identity provider sends the browser back to',
      // Providers add members of their own: they are looked at by the client library.
      query: { parse: (params: URLSearchParams) => new URLSearchParams(params), describes: callbackQuery },
      status: 302,
      rateLimit: { name: 'identity-provider', points: 60, seconds: 60, by: 'ip' },
      problems: ['tenant_not_found', 'tenant_suspended', 'provider_not_configured', 'unavailable'],
    },
    async (ctx, req) => {
      const tenantId = shopOf(ctx);
      const attempt = attemptOfCookie(ctx, req.cookies);
      const state = req.query.get('state');
      // Only the browser that set out may come back: what it brings is bound to its cookie, for this shop and provider.
      if (
        attempt?.provider !== provider ||
        attempt.tenantId !== tenantId ||
        attempt.expiresAt <= ctx.clock.now() ||
        state === null ||
        !equalSecrets(state, attempt.state)
      )
        throw problem('invalid_parameter', {
          parameter: 'state',
          detail: 'The sign-in was started in another browser or has expired. Start again.',
        });
      const done = attemptCookie(ctx, req.host, undefined, 0);
      const away = (error: string) => {
        ctx.log.warn(
          { event: 'external_sign_in_failed', provider, error, ip: ctx.ip, requestId: ctx.requestId },
          'an external sign-in failed',
        );
        return reply(302, undefined, { location: backTo(req, attempt.returnTo, error), 'set-cookie': done });
      };
      const url = new URL(redirectUri(req, provider));
      url.search = req.query.toString();
      let identity: Awaited<ReturnType<typeof identityOf>>;
      try {
        identity = await identityOf(ctx, tenantId, attempt, url);
      } catch (error) {
        if (!(error instanceof ExternalSignInError)) throw error;
        if (error.code === 'provider_failed')
          ctx.log.warn(
            { reason: reasonOf(error.cause), provider, tenantId, requestId: ctx.requestId },
            'the answer of an identity provider does not hold',
          );
        return away(error.code);
      }
      const { linking } = attempt;
      const outcome = await ctx.withTenant(tenantId, (tenant) =>
        linking === null ? customerOf(tenant, identity) : linkTo(tenant, identity, linking),
      );
      if ('refused' in outcome) return away(outcome.refused);
      const cookies = [done];
      if (linking === null)
        cookies.push(sessionCookie(req.host, 'storefront', await refreshTokenFor(ctx, tenantId, outcome.customerId)));
      return reply(302, undefined, { location: backTo(req, attempt.returnTo), 'set-cookie': cookies });
    },
  );

/** No token goes into an address: the page finds the refresh token in its cookie. */
async function refreshTokenFor(ctx: PlatformCtx, tenantId: string, customerId: string): Promise<string> {
  const sessionVersion = await ctx.withTenant(tenantId, (tenant) => customerVersion(tenant, customerId), { readOnly: true });
  const session = await newSession(ctx, { audience: 'storefront', tenantId, id: customerId, sessionVersion }, 1);
  return session.refreshToken;
}

export const externalSignInRoutes = providers.flatMap((provider) => [begin(provider), callback(provider)]);

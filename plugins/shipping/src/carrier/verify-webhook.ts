import { createHmac } from 'node:crypto';
import { equalSecrets } from '@storeloom/plugin-sdk/public';
import type { WebhookProof, WebhookRequest } from './adapter.ts';
import { isAllowed } from './credentials.ts';

/** Compares every secret, so that the time doesn't depend on which one matches. */
const matchesAny = (secrets: readonly string[], matches: (secret: string) => boolean): boolean =>
  secrets.map(matches).some((match) => match);

const header = (request: WebhookRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};
const secretHeaders = ['x-webhook-secret', 'x-carrier-secret', 'x-api-key'];
const secretParameters = ['secret', 'token'];
const signatureHeaders = ['x-signature', 'x-webhook-signature', 'x-carrier-signature', 'x-hub-signature-256'];

function bySecret(request: WebhookRequest, secrets: readonly string[]): boolean {
  const presented = [
    ...secretHeaders.map((name) => header(request, name)),
    ...secretParameters.map((name) => request.query[name]),
  ];
  return presented.some(
    (value) => value !== undefined && value !== '' && matchesAny(secrets, (secret) => equalSecrets(value, secret)),
  );
}

function byBasic(request: WebhookRequest, secrets: readonly string[]): boolean {
  const match = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(header(request, 'authorization') ?? '');
  if (!match) return false;
  const presented = Buffer.from(match[1] as string, 'base64').toString('utf8');
  return presented.includes(':') && matchesAny(secrets, (secret) => equalSecrets(presented, secret));
}

/** HMAC-SHA256 of the raw bytes, hex or base64, with an optional `sha256=` prefix. */
function byHmac(request: WebhookRequest, secrets: readonly string[]): boolean {
  const presented = signatureHeaders.map((name) => header(request, name)).find((value) => value !== undefined);
  if (presented === undefined) return false;
  const signature = presented.trim().replace(/^sha256=/i, '');
  return matchesAny(secrets, (secret) => {
    const digest = createHmac('sha256', secret).update(request.raw).digest();
    const inHex = equalSecrets(signature.toLowerCase(), digest.toString('hex'));
    const inBase64 = equalSecrets(signature, digest.toString('base64'));
    return inHex || inBase64;
  });
}

/** Verifies with the tenant's strategy only. Without a secret every request is rejected. */
export function verifyWebhook(request: WebhookRequest, proof: WebhookProof): boolean {
  const secrets = proof.secrets.filter((secret) => secret !== '');
  if (proof.verification === 'ip_list') return isAllowed(proof.allowedIps, request.ip);
  if (secrets.length === 0) return false;
  if (proof.verification === 'secret') return bySecret(request, secrets);
  return proof.verification === 'basic' ? byBasic(request, secrets) : byHmac(request, secrets);
}

import { createHmac } from 'node:crypto';
import { equalSecrets } from '@storeloom/plugin-sdk/public';
import type { WebhookProof, WebhookRequest } from './adapter.ts';
import { isAllowed } from './credentials.ts';

/** Every secret is compared, whichever fits. */
const oneOf = (secrets: readonly string[], fits: (secret: string) => boolean): boolean => secrets.map(fits).some((fit) => fit);

const header = (request: WebhookRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};
const secretHeaders = ['x-webhook-secret', 'x-carrier-secret', 'x-api-key'];
const secretParameters = ['secret', 'token'];
const signatureHeaders = ['x-signature', 'x-webhook-signature', 'x-carrier-signature', 'x-hub-signature-256'];

function bySecret(request: WebhookRequest, secrets: readonly string[]): boolean {
  const shown = [...secretHeaders.map((name) => header(request, name)), ...secretParameters.map((name) => request.query[name])];
  return shown.some((value) => value !== undefined && value !== '' && oneOf(secrets, (secret) => equalSecrets(value, secret)));
}

function byBasic(request: WebhookRequest, secrets: readonly string[]): boolean {
  const match = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(header(request, 'authorization') ?? '');
  if (!match) return false;
  const shown = Buffer.from(match[1] as string, 'base64').toString('utf8');
  return shown.includes(':') && oneOf(secrets, (secret) => equalSecrets(shown, secret));
}

/** HMAC-SHA256 of the raw bytes, hex or base64, with or without `sha256=` before it. */
function byHmac(request: WebhookRequest, secrets: readonly string[]): boolean {
  const shown = signatureHeaders.map((name) => header(request, name)).find((value) => value !== undefined);
  if (shown === undefined) return false;
  const signature = shown.trim().replace(/^sha256=/i, '');
  return oneOf(secrets, (secret) => {
    const digest = createHmac('sha256', secret).update(request.raw).digest();
    const inHex = equalSecrets(signature.toLowerCase(), digest.toString('hex'));
    const inBase64 = equalSecrets(signature, digest.toString('base64'));
    return inHex || inBase64;
  });
}

/** By the strategy that the tenant chose, and no other. Without a secret nothing is believed. */
export function verifyWebhook(request: WebhookRequest, proof: WebhookProof): boolean {
  const secrets = proof.secrets.filter((secret) => secret !== '');
  if (proof.verification === 'ip_list') return isAllowed(proof.allowedIps, request.ip);
  if (secrets.length === 0) return false;
  if (proof.verification === 'secret') return bySecret(request, secrets);
  return proof.verification === 'basic' ? byBasic(request, secrets) : byHmac(request, secrets);
}

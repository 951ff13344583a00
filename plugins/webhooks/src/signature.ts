import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** 256 random bits, as Standard Webhooks writes them. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * The header `webhook-signature` of Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `{id}.{timestamp}.{body}`, one for each
 * secret, parted by spaces. The key is what the secret's base64 stands for. `timestamp` in seconds.
 */
export function signature(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

import { describe, expect, it } from 'vitest';
import { newSecret, signature } from './signature.ts';

/** The vector of the Standard Webhooks libraries. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

describe('the signature', () => {
  it('is that of Standard Webhooks, with and without the prefix of the secret', () => {
    const { secret, id, timestamp, body } = vector;
    expect(signature([secret], id, timestamp, body)).toBe(vector.signature);
    expect(signature([secret.slice(6)], id, timestamp, body)).toBe(vector.signature);
  });

  it('changes with every part of what is signed', () => {
    const { secret, id, timestamp, body } = vector;
    const others = [
      signature([newSecret()], id, timestamp, body),
      signature([secret], `${id}x`, timestamp, body),
      signature([secret], id, timestamp + 1, body),
      signature([secret], id, timestamp, `${body} `),
    ];
    expect(new Set([vector.signature, ...others]).size).toBe(5);
  });

  it('stands there once for each secret', () => {
    const { secret, id, timestamp, body } = vector;
    const other = newSecret();
    expect(signature([other, secret], id, timestamp, body)).toBe(
      `${signature([other], id, timestamp, body)} ${vector.signature}`,
    );
  });

  it('is made with 32 random bytes', () => {
    const secrets = Array.from({ length: 50 }, newSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
  });
});

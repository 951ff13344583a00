import { createHmac, type KeyObject, sign } from 'node:crypto';

/** Makes tokens that no library would make: for tests of what must be refused. */
const encode = (value: unknown): string =>
  (typeof value === 'string' ? Buffer.from(value) : Buffer.from(JSON.stringify(value))).toString('base64url');

export const signed = (header: unknown, claims: unknown, key: KeyObject): string => {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
};

const rawPublicKey = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url');

export interface Genuine {
  readonly token: string;
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** An untrusted key pair. */
  readonly strange: { publicKey: KeyObject; privateKey: KeyObject };
}

/** Forged and malformed tokens made from a genuine one: name and token. */
export function forgeries({ token, header, claims, publicKey, privateKey, strange }: Genuine): [string, string][] {
  const [head, body, signature] = token.split('.') as [string, string, string];
  const kid = (value: unknown): string => signed({ ...header, kid: value }, claims, privateKey);
  const hmac = (secret: string | Buffer): string => {
    const input = `${encode({ ...header, alg: 'HS256' })}.${body}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  // The 64 bytes of a signature leave four bits of its last character unused.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const lenient = `${signature.slice(0, -1)}${alphabet[alphabet.indexOf(signature.at(-1) as string) ^ 1]}`;
  const flip = (text: string, at: number): string => {
    const bytes = Buffer.from(text, 'base64url');
    bytes[at] = (bytes[at] as number) ^ 1;
    return bytes.toString('base64url');
  };
  return [
    ['alg none, no signature', `${encode({ ...header, alg: 'none' })}.${body}.`],
    ['alg none, old signature', `${encode({ ...header, alg: 'none' })}.${body}.${signature}`],
    ['alg None', `${encode({ ...header, alg: 'None' })}.${body}.${signature}`],
    ['HS256 with the public key in PEM', hmac(publicKey.export({ type: 'spki', format: 'pem' }))],
    ['HS256 with the public key in DER', hmac(publicKey.export({ type: 'spki', format: 'der' }))],
    ['HS256 with the raw public key', hmac(rawPublicKey(publicKey))],
    ['HS256 with an empty secret', hmac('')],
    ['another algorithm in the header', signed({ ...header, alg: 'RS256' }, claims, privateKey)],
    ['Ed25519 under its newer name', signed({ ...header, alg: 'Ed25519' }, claims, privateKey)],
    ['no algorithm', signed({ ...header, alg: undefined }, claims, privateKey)],
    ['signed by a strange key', signed(header, claims, strange.privateKey)],
    ['kid as path', kid('../../../../dev/null')],
    ['kid as absolute path', kid('/etc/passwd')],
    ['kid as URL', kid('https://keys.example/jwks.json')],
    ['kid as SQL', kid("x' union select 'key' --")],
    ['kid as member of Object', kid('__proto__')],
    ['kid constructor', kid('constructor')],
    ['kid empty', kid('')],
    ['kid as number', kid(1)],
    ['kid as list', kid([header.kid])],
    ['no kid', kid(undefined)],
    ['embedded jwk', signed({ ...header, jwk: strange.publicKey.export({ format: 'jwk' }) }, claims, strange.privateKey)],
    [
      'embedded jwk beside a genuine signature',
      signed({ ...header, jwk: publicKey.export({ format: 'jwk' }) }, claims, privateKey),
    ],
    ['jku', signed({ ...header, jku: 'https://keys.example/jwks.json' }, claims, privateKey)],
    ['x5u', signed({ ...header, x5u: 'https://keys.example/cert.pem' }, claims, privateKey)],
    ['x5c', signed({ ...header, x5c: ['MIIB'] }, claims, privateKey)],
    ['crit', signed({ ...header, crit: ['exp'] }, claims, privateKey)],
    ['b64 false', signed({ ...header, b64: false, crit: ['b64'] }, claims, privateKey)],
    ['typ JWT', signed({ ...header, typ: 'JWT' }, claims, privateKey)],
    ['no typ', signed({ ...header, typ: undefined }, claims, privateKey)],
    ['typ in capitals', signed({ ...header, typ: String(header.typ).toUpperCase() }, claims, privateKey)],
    ['typ with media type', signed({ ...header, typ: `application/${header.typ}` }, claims, privateKey)],
    ['bit flip in the header', `${flip(head, 2)}.${body}.${signature}`],
    ['bit flip in the claims', `${head}.${flip(body, 20)}.${signature}`],
    ['bit flip in the first half of the signature', `${head}.${body}.${flip(signature, 3)}`],
    ['bit flip in the second half of the signature', `${head}.${body}.${flip(signature, 60)}`],
    ['claims changed', `${head}.${encode({ ...claims, admin: true })}.${signature}`],
    ['signature cut', `${head}.${body}.${signature.slice(0, -4)}`],
    ['signature empty', `${head}.${body}.`],
    ['signature of zeros', `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`],
    ['unused bits of the last character', `${head}.${body}.${lenient}`],
    ['padding', `${head}.${body}.${signature}==`],
    ['white space inside', `${head}.${body.slice(0, 8)} ${body.slice(8)}.${signature}`],
    ['new line at the end', `${token}\n`],
    ['standard base64', `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/').slice(0, -1)}+`],
    ['two parts', `${head}.${body}`],
    ['four parts', `${token}.${signature}`],
    ['JSON serialisation', JSON.stringify({ protected: head, payload: body, signature })],
    ['header is a list', signed([], claims, privateKey)],
    ['header is null', signed(null, claims, privateKey)],
    ['header is no JSON', signed('{"alg"', claims, privateKey)],
    ['claims are a string', signed(header, '"x"', privateKey)],
    ['claims are no JSON', signed(header, '{', privateKey)],
    ['claims are no UTF-8', `${head}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.${signature}`],
    ['empty', ''],
    ['dots', '..'],
    ['very long', `${head}.${'A'.repeat(100_000)}.${signature}`],
    ['NUL', '\0.\0.\0'],
  ];
}

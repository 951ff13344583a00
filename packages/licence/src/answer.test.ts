import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataDir, openDataDir } from '@storeloom/keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgeries, signed } from '../../keys/test/forged-tokens.ts';
import { answerType, keyListType, revocationsType, verifyKeyList, verifyResponse, verifyRevocations } from './answer.ts';
import { createIssuer, type IssuerKeys } from './issuer.ts';
import { keysOf, licenceIssuer, type TrustedIssuer } from './keys.ts';
import { LicenceServerError, licenceServer } from './server.ts';

const now = Date.UTC(2026, 10, 27, 12);
const seconds = now / 1000;
let base: string;
let dir: DataDir;
let issuer: IssuerKeys;
let trusted: TrustedIssuer;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-answer-'));
  dir = openDataDir(base);
  issuer = createIssuer(dir);
  trusted = licenceIssuer.parse({ id: issuer.id, keys: issuer.keys() });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const question = { installation: 'here', nonce: 'a-nonce' };
const answer = { sub: 'here', nonce: 'a-nonce', iat: seconds, answer: 'valid' };
const read = (token: unknown) => verifyResponse(token, { keys: keysOf(trusted), ...question });

describe('answers of a licence server', () => {
  test('a signed one to this question is one', async () => {
    expect(await read(await issuer.sign(answerType, answer))).toMatchObject({ ok: true, value: { answer: 'valid' } });
  });

  test('to another question, of another type, issuer, key or shape: none', async () => {
    const strange = generateKeyPairSync('ed25519');
    const [current] = issuer.keys();
    const header = { alg: 'EdDSA', typ: answerType, kid: current?.kid };
    for (const token of [
      await issuer.sign(answerType, { ...answer, nonce: 'an-older-one' }),
      await issuer.sign(answerType, { ...answer, sub: 'elsewhere' }),
      await issuer.sign('license+jwt', answer),
      await issuer.sign(answerType, { ...answer, answer: 'fine' }),
      await issuer.sign(answerType, { ...answer, iat: 'now' }),
      signed(header, { ...answer, iss: issuer.id }, strange.privateKey),
      undefined,
      { answer: 'valid' },
      'x.y.z',
    ])
      expect(await read(token)).toMatchObject({ ok: false, unknownKey: false });
    const claims = { ...answer, iss: issuer.id };
    const token = await issuer.sign(answerType, answer);
    const list = forgeries({ token, header, claims, publicKey: strange.publicKey, privateKey: strange.privateKey, strange });
    for (const [name, forged] of list) expect([name, (await read(forged)).ok]).toEqual([name, false]);
  });

  test('a key that is not known is said to be that', async () => {
    issuer.rotate();
    issuer.rotate();
    expect(await read(await issuer.sign(answerType, answer))).toMatchObject({ ok: false, unknownKey: true });
  });
});

describe('keys', () => {
  test('after rotations the lists still lead from a key that was written down to the present one', async () => {
    const lists = await issuer.keyLists(now);
    const read = await Promise.all(lists.map((list) => verifyKeyList(list, keysOf(trusted))));
    const known = read.find((result) => result.ok);
    if (!known?.ok) throw new Error('no list is signed by a key that was written down');
    const learned = keysOf(trusted, known.value.keys);
    expect(await verifyResponse(await issuer.sign(answerType, answer), { keys: learned, ...question })).toMatchObject({
      ok: true,
    });
  });

  test('one that is compromised signs nothing any more', async () => {
    const { current } = issuer.rotate();
    issuer.rotate({ compromised: true });
    expect(issuer.keys().map(({ kid }) => kid)).not.toContain(current);
    const kids = (await issuer.keyLists(now)).map(
      (list) => JSON.parse(Buffer.from(list.split('.')[0] as string, 'base64url').toString()).kid,
    );
    expect(kids).not.toContain(current);
  });

  test('what is learned takes no place of what was written down', () => {
    const strange = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x as string;
    const [written] = trusted.keys;
    const keys = keysOf(trusted, [{ kid: written?.kid as string, x: strange, environments: ['production'] }]);
    expect(keys.get(written?.kid as string)?.key.export({ format: 'jwk' }).x).toBe(written?.x);
  });

  test('a list that no known key has signed teaches nothing', async () => {
    const strange = generateKeyPairSync('ed25519');
    const [written] = trusted.keys;
    const list = signed(
      { alg: 'EdDSA', typ: keyListType, kid: written?.kid },
      { iss: issuer.id, iat: seconds, keys: trusted.keys },
      strange.privateKey,
    );
    expect(await verifyKeyList(list, keysOf(trusted))).toMatchObject({ ok: false });
  });

  test('an issuer is an https address, or one on this machine', () => {
    for (const url of ['https://licences.example', 'http://127.0.0.1:4000', 'http://localhost:4000'])
      expect(licenceIssuer.safeParse({ ...trusted, url }).success).toBe(true);
    for (const url of [
      'http://licences.example',
      'ftp://a.example',
      'https://a:b@licences.example',
      'licences',
      'https://a.example/?x=1',
    ])
      expect(licenceIssuer.safeParse({ ...trusted, url }).success).toBe(false);
    for (const keys of [[], [{ kid: '../../x', x: trusted.keys[0]?.x }], [{ kid: 'a', x: 'short' }]])
      expect(licenceIssuer.safeParse({ ...trusted, keys }).success).toBe(false);
  });
});

describe('the list of revoked licences', () => {
  const list = { iat: seconds, exp: seconds + 60, seq: 3, revoked: ['L-1'] };
  const readList = async (change: object, seq = 0) => {
    const keys = keysOf(licenceIssuer.parse({ id: issuer.id, keys: issuer.keys() }));
    return verifyRevocations(await issuer.sign(revocationsType, { ...list, ...change }), { keys, seq, now });
  };
  test('is taken when it is as new as the one seen last, and before its end', async () => {
    expect(await readList({})).toMatchObject({ ok: true, value: { revoked: ['L-1'] } });
    expect(await readList({}, 3)).toMatchObject({ ok: true });
    expect(await readList({}, 4)).toMatchObject({ ok: false });
    expect(await readList({ exp: seconds })).toMatchObject({ ok: false });
  });
});

describe('calls', () => {
  test('a redirect, an error, a page, or too much: the server is away', async () => {
    let mode = 'redirect';
    let posts = 0;
    const server = createServer((req, res) => {
      if (req.method === 'POST') posts++;
      if (mode === 'redirect') res.writeHead(302, { location: '/elsewhere' }).end();
      else if (mode === 'error') res.writeHead(500, { 'content-type': 'application/json' }).end('{}');
      else if (mode === 'page') res.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else if (mode === 'null') res.writeHead(200).end('null');
      else res.writeHead(200).end(Buffer.alloc(1_000_000, 0x20));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = licenceServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (mode of ['redirect', 'error', 'page', 'null', 'flood'])
      await expect(client.call('heartbeat', { key: 'k' }), mode).rejects.toThrow(LicenceServerError);
    expect(posts).toBe(5);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(client.call('heartbeat', { key: 'k' })).rejects.toThrow(LicenceServerError);
  });
});

import { describe, expect, test } from 'vitest';
import { routed } from '../test/routed.ts';
import { createGate, type GateOptions } from './gate.ts';
import { freshFor, LicenceServerAway, licenceServer } from './licence-server.ts';

const token = `slr_${'a'.repeat(43)}`;
const licence = {
  answer: 'valid',
  kind: 'install',
  packages: null,
  licenseId: 'L1',
  plugins: {},
  themes: {},
  expiresAt: '2027-01-01T00:00:00.000Z',
  updatesUntil: '2027-01-01T00:00:00.000Z',
};

function server(answer: () => Response | Promise<Response>) {
  let now = 0;
  const asked: { url: string; init: RequestInit }[] = [];
  const licences = licenceServer({
    url: 'https://shop.example/',
    clock: () => now,
    fetch: async (url, init) => {
      asked.push({ url: String(url), init: init as RequestInit });
      return answer();
    },
  });
  return { licences, asked, advance: (ms: number) => void (now += ms), clock: () => now };
}
const says =
  (value: unknown, status = 200) =>
  () =>
    Response.json(value, { status });

describe('the licence server', () => {
  test('gets one request for concurrent callers, and the next after exactly 30 seconds', async () => {
    const { licences, asked, advance } = server(says(licence));
    const answers = await Promise.all(Array.from({ length: 50 }, () => licences.standing(token)));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatchObject({ answer: 'valid', licenseId: 'L1' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: 'https://shop.example/api/licensing/registry',
      init: { method: 'POST', redirect: 'error', body: JSON.stringify({ token }) },
    });
    advance(freshFor - 1);
    await licences.standing(token);
    expect(asked).toHaveLength(1);
    await licences.standing(`${token.slice(0, -1)}b`);
    expect(asked).toHaveLength(2);
    advance(1);
    await licences.standing(token);
    expect(asked).toHaveLength(3);
    expect(freshFor).toBeLessThanOrEqual(30_000);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ['an error', says({ answer: 'valid' }, 500)],
    ['a refusal', says(licence, 429)],
    ['an unknown response', says({ ok: true })],
    ['half an answer', says({ answer: 'valid', kind: 'install', plugins: {} })],
    ['a publisher that expires', says({ ...licence, kind: 'publish', packages: ['x'], answer: 'expired' })],
    ['no JSON', () => new Response('<html>')],
    ['nothing', () => Promise.reject(new TypeError('fetch failed'))],
  ])('that responds with %s denies access, and is requested again', async (_, answer) => {
    const { licences, asked } = server(answer);
    for (let i = 0; i < 2; i++) await expect(licences.standing(token)).rejects.toThrow(LicenceServerAway);
    expect(asked).toHaveLength(2);
  });
});

describe('the gate', () => {
  const request = (authorization?: string, url = '/@acme%2fhotel', address = '10.0.0.1') =>
    routed('GET', url, authorization === undefined ? {} : { authorization }, address).req;
  const gate = (answer: () => Response | Promise<Response>, options: Partial<GateOptions> = {}) => {
    const made = server(answer);
    return { ...made, gate: createGate({ licences: made.licences, clock: made.clock, ...options }) };
  };
  const refusal = (work: Promise<unknown>): Promise<{ status: number; message: string }> =>
    work.then(
      () => {
        throw new Error('it was admitted');
      },
      (error) => error as never,
    );

  test('admits whom the licence server knows', async () => {
    const { gate: door } = gate(says(licence));
    for (const scheme of ['Bearer', 'bearer'])
      expect(await door.admit(request(`${scheme} ${token}`))).toMatchObject({
        request: { kind: 'packument', name: '@acme/hotel' },
        caller: { licenseId: 'L1' },
      });
  });

  test('shows keys and a ping to everybody, and nothing else', async () => {
    const { gate: door, asked } = gate(says(licence));
    for (const url of ['/-/npm/v1/keys', '/-/ping']) expect((await door.admit(request(undefined, url))).caller).toBeNull();
    for (const url of ['/@acme%2fhotel', '/-/whoami', '/-/v1/search', '/-/all', '/nothing/at/all', '/'])
      expect(await refusal(door.admit(request(undefined, url)))).toMatchObject({
        status: 403,
        message: expect.stringMatching(/^token_missing: .*NPM_REGISTRY_TOKEN/),
      });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what npm sends for a variable that isn't set
    const unset = await refusal(door.admit(request('Bearer ${NPM_REGISTRY_TOKEN}')));
    expect(unset.message).toMatch(/^token_missing: .*NPM_REGISTRY_TOKEN/);
    expect(asked).toHaveLength(0);
    expect(await refusal(door.admit(request(`Bearer ${token}`, '/-/all')))).toMatchObject({ status: 404 });
  });

  test.each([
    ['an unknown token', { answer: 'not_found' }, 'token_revoked'],
    ['a revoked one', { answer: 'suspended' }, 'token_revoked'],
    ['one of a licence that is over', { ...licence, answer: 'expired' }, 'license_expired'],
  ])('refuses %s with 403 and what to do', async (_, answer, code) => {
    const found = await refusal(gate(says(answer)).gate.admit(request(`Bearer ${token}`)));
    expect(found.status).toBe(403);
    expect(found.message).toMatch(new RegExp(`^${code}: .*@acme/hotel.*\\. [A-Z]`));
  });

  test('does not ask about what can be no token', async () => {
    const { gate: door, asked } = gate(says(licence));
    for (const wrong of [
      '',
      'Bearer',
      'Bearer x',
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token} x`,
      `Bearer slx_${'a'.repeat(43)}`,
    ])
      expect((await refusal(door.admit(request(wrong)))).message).toMatch(/^token_revoked/);
    expect(asked).toHaveLength(0);
  });

  test('is shut while the licence server is away', async () => {
    const errors: unknown[] = [];
    const { gate: door } = gate(says({}, 503), { onError: (error) => errors.push(error) });
    expect(await refusal(door.admit(request(`Bearer ${token}`)))).toMatchObject({
      status: 503,
      retryAfter: 5,
      message: expect.stringMatching(/^license_unknown/),
    });
    expect(errors).toHaveLength(1);
  });

  test('bears with so many unknown tokens of an address in a minute, and no more', async () => {
    const { gate: door, advance, asked } = gate(says({ answer: 'not_found' }));
    const tries = async (count: number, address?: string): Promise<number[]> => {
      const found: number[] = [];
      for (let i = 0; i < count; i++)
        found.push((await refusal(door.admit(request(`Bearer slr_${`${i}`.padStart(43, 'x')}`, '/hotel', address)))).status);
      return found;
    };
    const first = await tries(70);
    expect(first.filter((status) => status === 403)).toHaveLength(60);
    expect(first.slice(60)).toEqual(Array(10).fill(429));
    expect(asked).toHaveLength(60);
    expect(await tries(1, '10.0.0.2')).toEqual([403]);
    // A token that is known is judged all the same.
    expect((await refusal(door.admit(request(`Bearer slr_${'0'.padStart(43, 'x')}`)))).status).toBe(403);
    advance(60_000);
    expect(await tries(1)).toEqual([403]);
  });

  test('counts per client of a proxy on this machine, and ignores forwarded addresses from other hosts', async () => {
    const { gate: door } = gate(says({ answer: 'not_found' }));
    const tried = async (peer: string, forwarded: string, i: number): Promise<number> => {
      const made = request(`Bearer slr_${`${i}`.padStart(43, 'y')}`, '/hotel', peer);
      made.headers['x-forwarded-for'] = forwarded;
      return (await refusal(door.admit(made))).status;
    };
    for (let i = 0; i < 60; i++) await tried('127.0.0.1', '1.1.1.1, 2.2.2.2', i);
    expect(await tried('127.0.0.1', '3.3.3.3, 2.2.2.2', 60)).toBe(429);
    expect(await tried('127.0.0.1', '2.2.2.2, 3.3.3.3', 61)).toBe(403);
    for (let i = 100; i < 160; i++) await tried('4.4.4.4', `5.5.5.${i}`, i);
    expect(await tried('4.4.4.4', '6.6.6.6', 200)).toBe(429);
  });

  test('judges a request once', async () => {
    const { gate: door } = gate(says({ answer: 'not_found' }));
    const same = request(`Bearer ${token}`);
    const [first, second] = [door.admit(same), door.admit(same)];
    expect(first).toBe(second);
    await refusal(first);
  });
});

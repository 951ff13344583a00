import type { DemoOwner } from '@storeloom/core';
import { request } from 'undici';

type Answer = Awaited<ReturnType<DemoOwner['call']>>;

/** Half of an access token's life. */
const tokenAge = 300_000;

/** Returns a client of the shop at `base`, signed in with the login before its first request to the admin. */
export function demoOwner(base: string, host: string, login: { email: string; password: string }): DemoOwner {
  let token: { value: string; at: number } | undefined;
  const send = async (method: string, path: string, body?: object, bearer?: string): Promise<Answer> => {
    const headers: Record<string, string> = { host };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
    const answer = await request(`${base}${path}`, {
      method: method as 'GET',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Answer);
  };
  const signedIn = async (): Promise<string> => {
    if (token === undefined || performance.now() - token.at > tokenAge) {
      const { accessToken } = await send('POST', '/api/auth/login', { ...login, audience: 'admin' });
      token = { value: accessToken as string, at: performance.now() };
    }
    return token.value;
  };
  const call: DemoOwner['call'] = async (method, path, body) =>
    send(method, path, body, path.startsWith('/api/admin/') ? await signedIn() : undefined);
  return {
    call,
    async ensure(path, by, rows) {
      const known = new Map<unknown, Answer>();
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Answer = await call(
          'GET',
          `${path}?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        for (const row of page.data as Answer[]) known.set(row[by], row);
        cursor = (page.page?.nextCursor as string | null | undefined) ?? null;
      }
      const all: Answer[] = [];
      for (const row of rows) all.push(known.get(row[by]) ?? (await call('POST', path, row)));
      return all;
    },
  };
}

import type { TestTenant } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many kinds.
export type Json = Record<string, any>;

export async function make(tenant: TestTenant, path: string, body: Json): Promise<Json> {
  const made = await tenant.admin.post<Json>(`/api/admin${path}`, body);
  if (made.status !== 201) throw new Error(`${path} answered ${made.status}: ${made.text}`);
  return made.body;
}

export const faultOf = (body: Json): unknown[] => [body.code, body.errors?.[0]?.pointer, body.errors?.[0]?.code];

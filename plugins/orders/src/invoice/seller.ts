import { type Ctx, token } from '@storeloom/plugin-sdk';
import type { PostalAddress } from '@storeloom/plugin-sdk/people';
import type { workspace } from '@storeloom/plugin-workspace/contract';
import { settings } from '../settings.ts';

export interface Seller {
  name: string;
  vatId: string | null;
  regNo: string | null;
  address: PostalAddress | null;
  email: string | null;
  phone: string | null;
  iban: string | null;
  bank: string | null;
}

const workspaceToken = token<typeof workspace>('workspace:workspace');

/** The seller on documents: each property from the plugin's setting, otherwise from the store settings; the name of the shop by default. */
export async function sellerOf(ctx: Ctx): Promise<Seller> {
  const own = ctx.settings(settings).seller;
  const company = await ctx.use(workspaceToken)?.company();
  return {
    name: own?.legalName ?? company?.legalName ?? ctx.tenant.name,
    vatId: own?.vatId ?? company?.vatId ?? null,
    regNo: own?.regNo ?? company?.regNo ?? null,
    address: own?.address ?? company?.address ?? null,
    email: own?.email ?? company?.emails?.orders ?? company?.emails?.contact ?? null,
    phone: own?.phone ?? company?.phone ?? null,
    iban: own?.iban ?? null,
    bank: own?.bank ?? null,
  };
}

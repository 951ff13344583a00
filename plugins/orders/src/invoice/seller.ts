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

/** Who sells, as documents name it: the plugin's own setting member by member, else the store's, else the shop's name. */
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

import { provide } from '@storeloom/plugin-sdk';
import { workspace } from './contract.ts';
import { checkTenantValues, saveTenantValues, settings, tenantRecord } from './store-fields.ts';

export const workspaceProvider = provide(workspace, (ctx) => ({
  async setCurrency(code) {
    const record = await tenantRecord(ctx);
    await saveTenantValues(ctx, record, await checkTenantValues(ctx, record, { currency: code }));
  },
  async company() {
    const { legalName, vatId, regNo, address, emails, phone } = ctx.settings(settings);
    return { legalName, vatId, regNo, address, emails, phone };
  },
}));

import type { Statement } from './batch.ts';
import { roles } from './roles.ts';

/**
 * `write` in a tenant accesses rows by their keys, where planning for each value takes longer than the statement itself: a generic plan is
 * used for all values.
 */
export type TxKind = 'read' | 'write';

/** Returns the statement that begins the transaction; its comment identifies the request in the logs of the database. */
export function opening(kind: TxKind, requestId: string | undefined): Statement {
  const comment = requestId !== undefined && /^[\w.:-]{1,64}$/.test(requestId) ? ` /* ${requestId} */` : '';
  return { text: `${kind === 'read' ? 'begin read only' : 'begin'}${comment}`, values: [] };
}
/** SQL of the settings of a unit of work, besides role and tenant. */
interface Settings {
  platform: string;
  tenant: string;
}
function settingsOf(settings: Readonly<Record<string, string>>): Settings {
  const calls = (role: string): string =>
    Object.entries({ role, ...settings })
      .map(([name, value]) => `set_config('${name}', '${value}', true)`)
      .join(', ');
  return {
    platform: `select ${calls(roles.platform)}`,
    tenant: `select ${calls(roles.app)}, set_config('app.tenant_id', $1, true)`,
  };
}
/** Statements that set the scope of a unit of work. The runtime login has no privileges, so every statement fails without them. */
export interface Scopes {
  nothingElse: Settings;
  onePlan: Settings;
  readingOnly: Settings;
  readingByOnePlan: Settings;
}
/** Returns the statements with `settings` that the connection doesn't have. */
export const scopesWith = (settings: Readonly<Record<string, string>>): Scopes => ({
  nothingElse: settingsOf(settings),
  onePlan: settingsOf({ ...settings, plan_cache_mode: 'force_generic_plan' }),
  readingOnly: settingsOf({ ...settings, transaction_read_only: 'on' }),
  readingByOnePlan: settingsOf({ ...settings, transaction_read_only: 'on', plan_cache_mode: 'force_generic_plan' }),
});
export function scoping(tenantId: string | null, { platform, tenant }: Settings): Statement {
  return tenantId === null ? { text: platform, values: [] } : { text: tenant, values: [tenantId] };
}

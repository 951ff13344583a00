import { f, type Page, type RowOf, route, sql } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { reserve } from './loan.ts';

// #region tools
const shownTool = { id: f.id(), name: f.text(), available: f.bool() };

/** Nothing of a loan is shown but that there is one. */
export const tools = route(
  'GET',
  '/tool-library/tools',
  { summary: 'Tools that are lent', additive: true, response: shownTool, list: true },
  async (ctx): Promise<Page<RowOf<typeof shownTool>>> => {
    const rows = await ctx.db.rows<{ id: string; name: Record<string, string>; available: boolean }>(sql`
      select t.id, t.name, not exists (
        select from tool_library_loan l
        where l.tenant_id = t.tenant_id and l.tool_id = t.id and l.status in ('reserved', 'out')) as available
      from tool_library_tool t where t.tenant_id = ${ctx.tenant.id} and t.lendable order by t.id limit 500`);
    const data = rows.map(({ name, ...row }) => ({ ...row, name: localizedText(name, ctx.locale, ctx.tenant.defaultLocale) }));
    return { data, page: { limit: 500, nextCursor: null } };
  },
);
// #endregion

// #region reserve-route
export const reserveTool = route(
  'POST',
  '/tool-library/tools/{id}/reserve',
  {
    summary: 'Reserve a tool',
    additive: true,
    auth: 'customer',
    response: { id: f.id(), toolId: f.id(), dueOn: f.date(), status: f.text() },
    problems: ['tool_taken', 'loan_limit'],
  },
  async (ctx, { params }) => {
    // `auth: 'customer'` has answered everybody else with 401.
    if (ctx.actor.type !== 'customer') throw new Error('not a customer');
    const { id, toolId, dueOn, status } = await reserve(ctx, params.id as string, ctx.actor.customerId);
    return { id, toolId, dueOn, status };
  },
);
// #endregion

import { type Ctx, type Person, sql } from '@storeloom/plugin-sdk';

// #region people
/** What the library knows of a person. It keeps the customer's id and nothing else, so there is nothing to erase. */
export async function exportLoans(
  ctx: Ctx,
  { customerId }: Person,
): Promise<{ resource: string; rows: Record<string, unknown>[] }[]> {
  const rows = await ctx.db.rows<Record<string, unknown>>(sql`
    select t.name as tool, l.status, l.due_on as "dueOn", l.created_at as "createdAt"
    from tool_library_loan l join tool_library_tool t on t.tenant_id = l.tenant_id and t.id = l.tool_id
    where l.tenant_id = ${ctx.tenant.id} and l.customer_id = ${customerId ?? null}::uuid order by l.created_at, l.id`);
  return [{ resource: 'tool-library.loan', rows }];
}
// #endregion

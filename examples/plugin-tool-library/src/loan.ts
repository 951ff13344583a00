import { type Ctx, entityOf, f, one, problem, resource } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { addDays, civilDate } from '@storeloom/plugin-sdk/time';
import { settings } from './settings.ts';
import { tool } from './tool.ts';

// #region machine
const machine = defineMachine({
  start: 'reserved',
  states: ['reserved', 'out', 'returned', 'cancelled'],
  moves: {
    collect: { from: ['reserved'], to: 'out', summary: 'The customer takes the tool' },
    return: { from: ['out'], to: 'returned', summary: 'The tool is back' },
    cancel: { from: ['reserved'], to: 'cancelled', summary: 'The reservation is given up' },
  },
});

/** States in which the tool can't go to anybody else. */
const open = ['reserved', 'out'] as const;
// #endregion

// #region loan
export const loan = resource('loan', {
  path: 'tool-library/loans',
  verbs: ['list', 'get'],
  additive: ['list', 'get'],
  fields: {
    toolId: f.ref('tool-library.tool').filter(),
    customerId: f.ref('customers.customer').filter(),
    dueOn: f.date().filter().sort(),
  },
  machine,
  uniques: [{ name: 'tool_library_loan_open_key', fields: ['toolId'], where: "status in ('reserved', 'out')" }],
  indexes: [
    { name: 'tool_library_loan_customer_idx', fields: ['customerId', 'id'] },
    { name: 'tool_library_loan_created_idx', fields: ['createdAt', 'id'] },
  ],
});
// #endregion

// #region entity
export const Loan = entityOf(loan, { relations: { tool: one(tool, 'toolId') } });
// #endregion

// #region reserve
/**
 * Reserves a tool for a customer. First the customer is locked, then the tool: of two requests for either, the second waits and sees
 * what the first has done.
 * @throws 404 · 409 `tool_taken` · 409 `loan_limit {limit}`
 */
export async function reserve(ctx: Ctx, toolId: string, customerId: string) {
  await lockKeys(ctx, `customer ${customerId}`);
  const { lendable } = await ctx.rows(tool).require(toolId, { lock: true });
  const loans = ctx.rows(loan);
  if (!lendable || (await loans.count({ toolId, status: open })) > 0) throw problem('tool_taken');
  const { loanDays, maxOpenLoans: limit } = ctx.settings(settings);
  if ((await loans.count({ customerId, status: open })) >= limit)
    throw problem('loan_limit', {
      detail: `The customer has ${limit} open loans, the maximum. Return a tool or cancel a reservation first.`,
      limit,
    });
  const dueOn = addDays(civilDate(ctx.clock.now(), ctx.tenant.timezone), loanDays);
  return loan.create(ctx, { toolId, customerId, dueOn }, { data: { toolId, dueOn }, audit: 'tool-library.loan.reserve' });
}
// #endregion

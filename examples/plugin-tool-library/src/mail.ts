import { customers } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, mailer } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { Loan } from './loan.ts';

// #region mail
/** Runs after the reservation is committed, perhaps more than once. */
export async function confirm(ctx: Ctx, event: DomainEvent): Promise<void> {
  await mailBorrower(ctx, event.aggregate, 'reserved');
}

/** Sends an e-mail about a loan to its customer: `key` makes it one for each template and due date, however often this is called. */
export async function mailBorrower(ctx: Ctx, loanId: string, template: 'reserved' | 'reminder'): Promise<void> {
  const loan = await ctx.em.findOne(Loan, { id: loanId }, { populate: ['tool'] });
  if (!loan?.tool) return;
  const customer = await ctx.require(customers).get(loan.customerId);
  if (customer?.status !== 'active') return;
  await ctx.require(mailer).send({
    to: customer.email,
    template: `tool-library.${template}`,
    data: { shop: ctx.tenant.name, tool: localizedText(loan.tool.name, ctx.locale, ctx.tenant.defaultLocale), dueOn: loan.dueOn },
    key: `${template}:${loan.id}:${loan.dueOn}`,
  });
}
// #endregion

import { customers } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, mailer } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { Loan } from './loan.ts';

// #region mail
/** Runs after the reservation is committed, perhaps more than once: the key makes it one mail a loan. */
export async function confirm(ctx: Ctx, event: DomainEvent): Promise<void> {
  const made = await ctx.em.findOne(Loan, { id: event.aggregate }, { populate: ['tool'] });
  if (!made?.tool) return;
  const customer = await ctx.require(customers).get(made.customerId);
  if (customer?.status !== 'active') return;
  await ctx.require(mailer).send({
    to: customer.email,
    template: 'tool-library.reserved',
    data: { shop: ctx.tenant.name, tool: localizedText(made.tool.name, ctx.locale, ctx.tenant.defaultLocale), dueOn: made.dueOn },
    key: `reserved:${made.id}`,
  });
}
// #endregion

import { customers } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, mailer } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { loan } from './loan.ts';
import { tool } from './tool.ts';

// #region mail
/** Runs after the reservation is committed, perhaps more than once: the key makes it one mail a loan. */
export async function confirm(ctx: Ctx, event: DomainEvent): Promise<void> {
  const made = await ctx.rows(loan).get(event.aggregate);
  if (!made) return;
  const customer = await ctx.require(customers).get(made.customerId);
  if (customer?.status !== 'active') return;
  const { name } = await ctx.rows(tool).require(made.toolId);
  await ctx.require(mailer).send({
    to: customer.email,
    template: 'tool-library.reserved',
    data: { shop: ctx.tenant.name, tool: localizedText(name, ctx.locale, ctx.tenant.defaultLocale), dueOn: made.dueOn },
    key: `reserved:${made.id}`,
  });
}
// #endregion

import type { CreateOf, FieldError, MoneyValue } from '@storeloom/plugin-sdk';
import { conditionFaults, operatorOf, shelfConditions } from './conditions.ts';
import { type PromotionRow, type PromotionType, type promotionBody, type Target, targets } from './promotion.ts';

export type PromotionInput = Omit<CreateOf<typeof promotionBody>, 'codes'>;
/** A promotion with everything decided that a request may leave open. */
export type Draft = Omit<PromotionRow, 'id' | 'createdAt' | 'updatedAt' | 'version' | 'coded' | 'enabledAt'>;

const targetsOf: Record<PromotionType, readonly Target[]> = {
  percentage: targets,
  fixed_amount: targets,
  tiered: targets,
  fixed_price: ['items'],
  buy_x_get_y: ['items'],
  gift_item: ['items', 'order'],
  free_shipping: ['shipping'],
};
const onShelf: readonly PromotionType[] = ['percentage', 'fixed_amount', 'fixed_price'];

/** What isn't said follows from the rest: the target from type and stage, the allocation from the target, operators from the values. */
export function draftOf(input: PromotionInput): Draft {
  const target = input.target ?? (input.stage === 'catalog' ? 'items' : targetsOf[input.type][0]!);
  return {
    ...input,
    target,
    allocation: input.allocation ?? (target === 'items' ? 'each' : 'across'),
    basis: input.basis ?? (input.type === 'tiered' ? 'amount' : null),
    combineWith: targets.filter((one) => input.combineWith.includes(one)),
    conditions: input.conditions.map((condition) => ({ ...condition, op: operatorOf(condition) })),
  };
}

/** Everything that is wrong with a promotion by itself: which members go with which type, target and stage. */
export function draftFaults(draft: Draft): FieldError[] {
  const faults: FieldError[] = [];
  const refuse = (member: string, message: string, code = 'invalid'): void =>
    void faults.push({ pointer: `/${member}`, code, message });
  const { type, target, stage, startsAt, endsAt } = draft;

  if (startsAt !== null && endsAt !== null && startsAt >= endsAt) refuse('endsAt', 'must be later than startsAt', 'too_small');
  if (!targetsOf[type].includes(target)) refuse('target', `${type} takes ${targetsOf[type].join(', ')}`);
  faults.push(...valueFaults(draft));
  if (draft.basis !== null && type !== 'tiered') refuse('basis', 'is only allowed for tiers');
  if (draft.allocation === 'each' && target !== 'items') refuse('allocation', 'each requires the target items');
  if (draft.allocation === 'across' && (type === 'fixed_price' || stage === 'catalog')) refuse('allocation', 'must be each');
  if (draft.maxUnits !== null && (target !== 'items' || draft.allocation !== 'each' || type === 'gift_item'))
    refuse('maxUnits', 'is only allowed for items with the allocation each');
  if (type === 'gift_item' && draft.maxDiscount !== null) refuse('maxDiscount', 'is not allowed for gifts');
  if (type === 'gift_item' && draft.budget !== null) refuse('budget', 'is not allowed for gifts; use usageLimit');
  faults.push(...unitFaults(draft));
  faults.push(...draft.conditions.flatMap((condition, i) => conditionFaults(condition, `/conditions/${i}`)));
  if (stage === 'catalog') faults.push(...shelfFaults(draft));
  return faults;
}

function valueFaults({ type, value }: Draft): FieldError[] {
  const needed = { percentage: 'percentBp', fixed_amount: 'amounts', fixed_price: 'amounts', tiered: 'tiers' }[type as string];
  const faults: FieldError[] = [];
  for (const member of ['percentBp', 'amounts', 'tiers'] as const) {
    const given = value[member] !== null;
    if (member === needed && !given)
      faults.push({ pointer: `/value/${member}`, code: 'required', message: `is required for ${type}` });
    if (member !== needed && given)
      faults.push({ pointer: `/value/${member}`, code: 'invalid', message: `is not allowed for ${type}` });
  }
  for (const [i, amount] of (value.amounts ?? []).entries()) {
    if (type === 'fixed_amount' && amount.amount < 1)
      faults.push({ pointer: `/value/amounts/${i}/amount`, code: 'money_invalid', message: 'must be at least 1' });
    if (currencyBefore(value.amounts ?? [], i))
      faults.push({ pointer: `/value/amounts/${i}/currency`, code: 'repeated', message: 'is duplicated' });
  }
  const tiers = value.tiers ?? [];
  for (const [i, { min, percentBp, amount }] of tiers.entries()) {
    const pointer = `/value/tiers/${i}`;
    if ((percentBp === null) === (amount === null))
      faults.push({ pointer, code: 'invalid', message: 'must contain exactly one of percentBp and amount' });
    if (tiers.slice(0, i).some((other) => other.min === min && other.amount?.currency === amount?.currency))
      faults.push({ pointer: `${pointer}/min`, code: 'repeated', message: 'is duplicated' });
  }
  return faults;
}

function currencyBefore(amounts: readonly MoneyValue[], i: number): boolean {
  return amounts.slice(0, i).some(({ currency }) => currency === amounts[i]!.currency);
}

function unitFaults({ type, buy, get }: Draft): FieldError[] {
  const faults: FieldError[] = [];
  const refuse = (pointer: string, message: string, code = 'invalid'): void => void faults.push({ pointer, code, message });
  const pairs = type === 'buy_x_get_y';
  const gifts = type === 'gift_item';
  if (buy === null && pairs) refuse('/buy', 'is required: the items to buy', 'required');
  if (buy !== null && !pairs && !gifts) refuse('/buy', `is not allowed for ${type}`);
  if (get === null && (pairs || gifts)) refuse('/get', 'is required: the discounted or free items', 'required');
  if (get === null) return faults;
  if (!pairs && !gifts) refuse('/get', `is not allowed for ${type}`);
  if (pairs && get.variantIds.length > 0) refuse('/get/variantIds', 'is only allowed for gift_item; use products or categories');
  if (gifts && get.variantIds.length + get.productIds.length === 0)
    refuse('/get/variantIds', 'must contain the gift as variant or product', 'required');
  if (gifts && get.productIds.length > 20) refuse('/get/productIds', 'must contain at most 20 gifts', 'too_big');
  if (gifts && get.categoryIds.length > 0) refuse('/get/categoryIds', 'must select gifts by variant or product');
  if (gifts && get.percentBp !== 10_000) refuse('/get/percentBp', 'must be free for gifts');
  return faults;
}

/** The catalogue stage changes the price of a thing on the shelf, for everybody who sees it: no code, no cart, no sum of money. */
function shelfFaults(draft: Draft): FieldError[] {
  const faults: FieldError[] = [];
  const refuse = (member: string, message: string): void => void faults.push({ pointer: `/${member}`, code: 'invalid', message });
  if (!onShelf.includes(draft.type)) refuse('type', `the catalogue stage takes ${onShelf.join(', ')}`);
  if (draft.target !== 'items') refuse('target', 'must be items in the catalogue stage');
  if (draft.code !== null) refuse('code', 'is not allowed in the catalogue stage');
  for (const member of ['maxApplicationsPerOrder', 'maxUnits', 'maxDiscount', 'usageLimitPerCustomer', 'budget'] as const)
    if (draft[member] !== null) refuse(member, 'is not allowed in the catalogue stage');
  for (const [i, { type }] of draft.conditions.entries())
    if (!shelfConditions.includes(type))
      refuse(`conditions/${i}/type`, `the catalogue stage takes ${shelfConditions.join(', ')}`);
  return faults;
}

import type { CreateOf, FieldError, MoneyValue } from '@storeloom/plugin-sdk';
import { catalogConditions, conditionErrors, operatorOf } from './conditions.ts';
import { type PromotionRow, type PromotionType, type promotionBody, type Target, targets } from './promotion.ts';

export type PromotionInput = Omit<CreateOf<typeof promotionBody>, 'codes'>;
/** A promotion with all defaults resolved. */
export type PromotionDraft = Omit<PromotionRow, 'id' | 'createdAt' | 'updatedAt' | 'version' | 'coded' | 'enabledAt'>;

const targetsOf: Record<PromotionType, readonly Target[]> = {
  percentage: targets,
  fixed_amount: targets,
  tiered: targets,
  fixed_price: ['items'],
  buy_x_get_y: ['items'],
  gift_item: ['items', 'order'],
  free_shipping: ['shipping'],
};
const catalogTypes: readonly PromotionType[] = ['percentage', 'fixed_amount', 'fixed_price'];

/** Resolves defaults: the target from type and stage, the allocation from the target, operators from the values. */
export function resolveDefaults(input: PromotionInput): PromotionDraft {
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

/** Validates which fields are allowed for the type, target and stage. Returns all errors. */
export function draftErrors(draft: PromotionDraft): FieldError[] {
  const errors: FieldError[] = [];
  const report = (field: string, message: string, code = 'invalid'): void =>
    void errors.push({ pointer: `/${field}`, code, message });
  const { type, target, stage, startsAt, endsAt } = draft;

  if (startsAt !== null && endsAt !== null && startsAt >= endsAt) report('endsAt', 'must be later than startsAt', 'too_small');
  if (!targetsOf[type].includes(target)) report('target', `${type} allows ${targetsOf[type].join(', ')}`);
  errors.push(...valueErrors(draft));
  if (draft.basis !== null && type !== 'tiered') report('basis', 'is only allowed for tiers');
  if (draft.allocation === 'each' && target !== 'items') report('allocation', 'each requires the target items');
  if (draft.allocation === 'across' && (type === 'fixed_price' || stage === 'catalog')) report('allocation', 'must be each');
  if (draft.maxUnits !== null && (target !== 'items' || draft.allocation !== 'each' || type === 'gift_item'))
    report('maxUnits', 'is only allowed for items with the allocation each');
  if (type === 'gift_item' && draft.maxDiscount !== null) report('maxDiscount', 'is not allowed for gifts');
  if (type === 'gift_item' && draft.budget !== null) report('budget', 'is not allowed for gifts; use usageLimit');
  errors.push(...unitErrors(draft));
  errors.push(...draft.conditions.flatMap((condition, i) => conditionErrors(condition, `/conditions/${i}`)));
  if (stage === 'catalog') errors.push(...catalogErrors(draft));
  return errors;
}

function valueErrors({ type, value }: PromotionDraft): FieldError[] {
  const needed = { percentage: 'percentBp', fixed_amount: 'amounts', fixed_price: 'amounts', tiered: 'tiers' }[type as string];
  const errors: FieldError[] = [];
  for (const field of ['percentBp', 'amounts', 'tiers'] as const) {
    const isSet = value[field] !== null;
    if (field === needed && !isSet)
      errors.push({ pointer: `/value/${field}`, code: 'required', message: `is required for ${type}` });
    if (field !== needed && isSet)
      errors.push({ pointer: `/value/${field}`, code: 'invalid', message: `is not allowed for ${type}` });
  }
  for (const [i, amount] of (value.amounts ?? []).entries()) {
    if (type === 'fixed_amount' && amount.amount < 1)
      errors.push({ pointer: `/value/amounts/${i}/amount`, code: 'money_invalid', message: 'must be at least 1' });
    if (isDuplicateCurrency(value.amounts ?? [], i))
      errors.push({ pointer: `/value/amounts/${i}/currency`, code: 'repeated', message: 'is duplicated' });
  }
  const tiers = value.tiers ?? [];
  for (const [i, { min, percentBp, amount }] of tiers.entries()) {
    const pointer = `/value/tiers/${i}`;
    if ((percentBp === null) === (amount === null))
      errors.push({ pointer, code: 'invalid', message: 'must contain exactly one of percentBp and amount' });
    if (tiers.slice(0, i).some((other) => other.min === min && other.amount?.currency === amount?.currency))
      errors.push({ pointer: `${pointer}/min`, code: 'repeated', message: 'is duplicated' });
  }
  return errors;
}

function isDuplicateCurrency(amounts: readonly MoneyValue[], i: number): boolean {
  return amounts.slice(0, i).some(({ currency }) => currency === amounts[i]!.currency);
}

function unitErrors({ type, buy, get }: PromotionDraft): FieldError[] {
  const errors: FieldError[] = [];
  const report = (pointer: string, message: string, code = 'invalid'): void => void errors.push({ pointer, code, message });
  const pairs = type === 'buy_x_get_y';
  const gifts = type === 'gift_item';
  if (buy === null && pairs) report('/buy', 'is required: the items to buy', 'required');
  if (buy !== null && !pairs && !gifts) report('/buy', `is not allowed for ${type}`);
  if (get === null && (pairs || gifts)) report('/get', 'is required: the discounted or free items', 'required');
  if (get === null) return errors;
  if (!pairs && !gifts) report('/get', `is not allowed for ${type}`);
  if (pairs && get.variantIds.length > 0) report('/get/variantIds', 'is only allowed for gift_item; use products or categories');
  if (gifts && get.variantIds.length + get.productIds.length === 0)
    report('/get/variantIds', 'must contain the gift as variant or product', 'required');
  if (gifts && get.productIds.length > 20) report('/get/productIds', 'must contain at most 20 gifts', 'too_big');
  if (gifts && get.categoryIds.length > 0) report('/get/categoryIds', 'must select gifts by variant or product');
  if (gifts && get.percentBp !== 10_000) report('/get/percentBp', 'must be free for gifts');
  return errors;
}

/** A catalogue promotion changes the displayed unit price for every buyer: it can't depend on a code, a cart or an order total. */
function catalogErrors(draft: PromotionDraft): FieldError[] {
  const errors: FieldError[] = [];
  const report = (field: string, message: string): void => void errors.push({ pointer: `/${field}`, code: 'invalid', message });
  if (!catalogTypes.includes(draft.type)) report('type', `the catalogue stage allows ${catalogTypes.join(', ')}`);
  if (draft.target !== 'items') report('target', 'must be items in the catalogue stage');
  if (draft.code !== null) report('code', 'is not allowed in the catalogue stage');
  for (const field of ['maxApplicationsPerOrder', 'maxUnits', 'maxDiscount', 'usageLimitPerCustomer', 'budget'] as const)
    if (draft[field] !== null) report(field, 'is not allowed in the catalogue stage');
  for (const [i, { type }] of draft.conditions.entries())
    if (!catalogConditions.includes(type))
      report(`conditions/${i}/type`, `the catalogue stage allows ${catalogConditions.join(', ')}`);
  return errors;
}

import { type CreateOf, f, invalid, type Shape } from '@storeloom/plugin-sdk';

const operationNames = [
  'add_item',
  'change_quantity',
  'remove_item',
  'set_price',
  'change_shipping',
  'add_surcharge',
  'cancel_fulfillment',
] as const;
type OperationName = (typeof operationNames)[number];

export const operationFields = {
  op: f.oneOf(operationNames),
  itemId: f.id().optional(),
  variantId: f.id().optional(),
  quantity: f.int({ min: 1, max: 1_000_000 }).optional(),
  unitPrice: f.money({ min: 0 }).optional(),
  options: f.json().optional(),
  custom: f.json().optional(),
  methodId: f.ref('shipping.method').optional(),
  price: f.money({ min: 0 }).optional(),
  name: f.text().optional(),
  amount: f.money({ min: 0 }).optional(),
  taxCategoryId: f.ref('taxes.category').optional(),
  fulfillmentId: f.id().optional(),
} satisfies Shape;
export type Operation = CreateOf<typeof operationFields>;
/** An operation without properties. */
export const emptyOperation: Operation = {
  op: 'add_item',
  itemId: null,
  variantId: null,
  quantity: null,
  unitPrice: null,
  options: null,
  custom: null,
  methodId: null,
  price: null,
  name: null,
  amount: null,
  taxCategoryId: null,
  fulfillmentId: null,
};

type Member = Exclude<keyof Operation, 'op'>;

const members: Record<OperationName, { needs: readonly Member[]; takes?: readonly Member[] }> = {
  add_item: { needs: ['variantId', 'quantity'], takes: ['unitPrice', 'options', 'custom'] },
  change_quantity: { needs: ['itemId', 'quantity'] },
  remove_item: { needs: ['itemId'] },
  set_price: { needs: ['itemId', 'unitPrice'] },
  change_shipping: { needs: ['price'], takes: ['methodId', 'name'] },
  add_surcharge: { needs: ['name', 'amount'], takes: ['taxCategoryId'] },
  cancel_fulfillment: { needs: ['fulfillmentId'] },
};

/** Checks the properties of an operation. `at` is its JSON pointer in the body. @throws 422 */
export function checkOperation(operation: Operation, at: string, currency: string): void {
  const { needs, takes = [] } = members[operation.op];
  for (const name of needs)
    if (operation[name] === null) throw invalid(`${at}/${name}`, 'required', `is required for ${operation.op}`);
  for (const [name, value] of Object.entries(operation)) {
    if (value === null || name === 'op') continue;
    if (![...needs, ...takes].includes(name as Member))
      throw invalid(`${at}/${name}`, 'unknown_field', `is not a property of ${operation.op}`);
  }
  for (const name of ['unitPrice', 'price', 'amount'] as const) {
    const money = operation[name];
    if (money && money.currency !== currency)
      throw invalid(`${at}/${name}/currency`, 'currency_mismatch', `the order is in ${currency}`);
  }
}

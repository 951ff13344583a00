import { type BaseRow, f, type RowOf, type Shape, table } from '@storeloom/plugin-sdk';

export const itemStatuses = ['queued', 'preparing', 'ready', 'served', 'cancelled'] as const;
export type ItemStatus = (typeof itemStatuses)[number];

const modifier = f.object({ group: f.text({ max: 80 }), option: f.text({ max: 80 }) });
/** An ordered item. */
const itemInput = f.object({
  menuItemId: f.ref('restaurant.menu-item'),
  qty: f.int({ min: 1, max: 1000 }),
  modifiers: f.list(modifier, { max: 50 }).default([]),
  /** Special requests and allergies. */
  note: f.text({ max: 500 }).optional().personal(),
  course: f.int({ min: 1, max: 20 }).optional(),
});
export type ItemInput = RowOf<{ item: typeof itemInput }>['item'];
export const roundInput = { items: f.list(itemInput, { min: 1, max: 200 }) } satisfies Shape;

export const orderItem = table(
  'order-item',
  {
    orderId: f.id(),
    round: f.int(),
    position: f.int(),
    menuItemId: f.id(),
    name: f.text(),
    qty: f.int(),
    modifiers: f.list(modifier),
    note: f.text({ max: 500 }).optional(),
    course: f.int().optional(),
    station: f.text(),
    unitPrice: f.money(),
    taxCategoryId: f.id().optional(),
    counted: f.bool(),
    status: f.oneOf(itemStatuses),
  },
  {
    indexes: [
      { name: 'restaurant_order_item_menu_item_idx', fields: ['menuItemId'] },
      { name: 'restaurant_order_item_order_idx', fields: ['orderId', 'round', 'position'] },
    ],
  },
);
export type OrderItem = RowOf<(typeof orderItem)['fields']> & BaseRow;

export const payment = table(
  'payment',
  { orderId: f.id(), method: f.text({ max: 40 }), amount: f.money({ min: 1 }) },
  { indexes: [{ name: 'restaurant_payment_order_idx', fields: ['orderId'] }], appendOnly: true },
);

const shownItem = f.object({
  id: f.id(),
  menuItemId: f.id(),
  name: f.text(),
  qty: f.int(),
  modifiers: f.list(modifier),
  note: f.text().optional().personal(),
  course: f.int().optional(),
  station: f.text(),
  unitPrice: f.money(),
  status: f.oneOf(itemStatuses),
});

export const orderFields = {
  tableId: f.ref('restaurant.table').filter(),
  reservationId: f.ref('restaurant.reservation').optional().filter(),
  covers: f.int({ min: 1, max: 1000 }).optional(),
  /** One of several checks of a table. */
  split: f.bool().default(false),
  discountBp: f.bp().default(0),
  serviceBp: f.bp().readonly(),
  rounds: f
    .list(f.object({ items: f.list(shownItem) }))
    .readonly()
    .virtual(),
  /** Sum of the items that aren't cancelled. */
  subtotal: f.money().readonly(),
  discount: f.money().readonly(),
  service: f.money().readonly(),
  tip: f.money().readonly(),
  tax: f.money().readonly(),
  /** Amount to pay, with the tip. */
  total: f.money().readonly(),
  payments: f
    .list(f.object({ method: f.text(), amount: f.money(), at: f.instant() }))
    .readonly()
    .virtual(),
  number: f.int().readonly().filter().sort(),
  openedBy: f.id().optional().readonly().filter(),
  paidAt: f.instant().optional().readonly().filter(),
  cancelReason: f.text().optional().readonly(),
} satisfies Shape;

export const orderStatuses = ['open', 'sent', 'ready', 'served', 'billed', 'paid', 'cancelled'] as const;
export type OrderStatus = (typeof orderStatuses)[number];
export type Order = RowOf<typeof orderFields> & BaseRow & { status: OrderStatus };

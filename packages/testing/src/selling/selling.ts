import { must } from '../crowd/answers.ts';
import type { TestClient } from '../shop/client.ts';
import type { TestTenant } from '../shop/shop.ts';

/** An address in Romania that every shop of a test delivers to. */
export const postalAddress = {
  firstName: 'Ana',
  lastName: 'Pop',
  line1: 'Strada Lungă 1',
  city: 'Cluj-Napoca',
  postalCode: '400001',
  country: 'RO',
} as const;

/** Creates and enables the payment method `cod`, cash on delivery: an order of it is confirmed when it is placed. */
export async function cashOnDelivery({ admin }: TestTenant): Promise<void> {
  const method = { code: 'cod', name: 'Cash on delivery', provider: 'cod', enabled: true };
  await must(admin.post('/api/admin/payment-methods/', method), 201);
}

let products = 0;
/**
 * Creates an active product with one variant. `price` is in minor units of RON; `product` and `variant` override their fields. By default
 * it is a service without stock: an order of it needs neither a shipping method nor a warehouse.
 */
export async function sellableProduct(
  { admin }: TestTenant,
  price: number,
  product: Record<string, unknown> = {},
  variant: Record<string, unknown> = {},
): Promise<{ productId: string; variantId: string; slug: string }> {
  products += 1;
  const created = await must(
    admin.post<{ id: string; slug: string; variants: { id: string }[] }>('/api/admin/products/', {
      title: `Product ${products}`,
      status: 'active',
      type: 'service',
      variants: [
        {
          sku: `SKU-${products}`,
          optionValues: {},
          price: { amount: price, currency: 'RON' },
          trackInventory: false,
          ...variant,
        },
      ],
      ...product,
    }),
    201,
  );
  return { productId: created.id, variantId: (created.variants[0] as { id: string }).id, slug: created.slug };
}

/** The cart of a client. */
export interface FilledCart<C> {
  /** The client with the token of the cart. */
  client: TestClient;
  /** The cart, as the last response shows it. */
  cart: C;
  /** The token of the cart. */
  token: string;
}
/** Puts variants into a new cart of a visitor or customer. */
export async function filledCart<C extends { cartToken: string; totals: { total: { amount: number } } }>(
  caller: TestClient,
  ...items: [variantId: string, quantity: number][]
): Promise<FilledCart<C>> {
  let client = caller;
  let cart: C | undefined;
  for (const [variantId, quantity] of items) {
    cart = await must(client.post<C>('/api/storefront/cart/items', { variantId, quantity }), 201);
    client = caller.with({ 'x-cart-token': cart.cartToken });
  }
  if (!cart) throw new Error('a cart needs at least one item');
  return { client, cart, token: cart.cartToken };
}

/** An order, and the buyer's access to it. */
export interface PlacedOrder {
  id: string;
  /** As the buyer sees it. */
  number: string;
  /** For the header `x-order-token`. */
  orderToken: string;
  /** In minor units. */
  total: number;
}
/**
 * Places an order of variants, by default by cash on delivery (see `cashOnDelivery`). `body` overrides fields of the request; goods that
 * are shipped need its `shippingMethodId` and `expectedTotal`.
 */
export async function placedOrder(
  caller: TestClient,
  items: readonly [variantId: string, quantity: number][],
  body: Record<string, unknown> = {},
): Promise<PlacedOrder> {
  const { client, cart } = await filledCart(caller, ...items);
  const placed = await must(
    client.post<{ order: { id: string; number: string; totals: { total: { amount: number } } }; orderToken: string }>(
      '/api/storefront/checkout/place',
      {
        email: 'buyer@example.org',
        billingAddress: postalAddress,
        shippingAddress: postalAddress,
        paymentMethod: 'cod',
        consents: { terms: true },
        expectedTotal: cart.totals.total,
        ...body,
      },
    ),
    201,
  );
  const { id, number, totals } = placed.order;
  return { id, number, orderToken: placed.orderToken, total: totals.total.amount };
}

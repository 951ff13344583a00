import type { TestClient } from '@storeloom/testing';
import { cartPath, type Json, ron } from '../../plugins/checkout/test/goods.ts';
import { address, checkoutPath, placeBody } from '../../plugins/checkout/test/till.ts';
import { type Payload, within } from './markup.ts';

/** Callers of one process. */
export interface Callers {
  admin: TestClient;
  guest: TestClient;
}
/** Rich texts as answers give them, by the member that they were sent as. */
export type RichTexts = Map<string, string[]>;

/** The answer, which has to be a good one. */
export async function send(
  client: TestClient,
  method: 'get' | 'post' | 'put' | 'patch',
  path: string,
  body?: Json,
): Promise<Json> {
  const answer = method === 'get' ? await client.get<Json>(path) : await client[method]<Json>(path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Every rich text that a shop has says it: read again as staff and as visitors of both languages get it. */
export async function writeRichTexts({ admin, guest }: Callers, payload: Payload, texts: RichTexts): Promise<Json> {
  const { n, html } = payload;
  const name = (max: number): string => within(payload, max);
  const both = { ro: html, en: html };
  const slug = `markup-${n}`;
  const keep = (member: string, ...answers: unknown[]): void => {
    const strings = answers.flatMap((answer) =>
      typeof answer === 'object' && answer !== null ? Object.values(answer) : [answer],
    );
    // Of some nothing is left, which a banner shows as no text.
    const found = strings.map((text) => text ?? '');
    for (const text of found) if (typeof text !== 'string') throw new Error(`${member} of ${html} came back as ${text}`);
    texts.set(member, [...(texts.get(member) ?? []), ...(found as string[])]);
  };
  const shown = async (path: string): Promise<[Json, Json]> => [
    await send(guest, 'get', path),
    await send(guest.with({ 'accept-language': 'en' }), 'get', path),
  ];

  const brand = await send(admin, 'post', '/api/admin/brands/', { name: name(120), slug, description: both });
  keep('brand.description', brand.description);
  const category = await send(admin, 'post', '/api/admin/categories/', { name: name(200), slug, description: both });
  keep('category.description', category.description);

  const product = await send(admin, 'post', '/api/admin/products/', {
    title: name(300),
    slug,
    status: 'active',
    description: both,
    shortDescription: name(2000),
    brandId: brand.id,
    categoryIds: [category.id],
    tags: [name(60)],
    options: [{ name: name(60), values: [name(120)] }],
    images: [{ url: '/files/nothing.png', alt: name(500) }],
    seo: { title: name(200), description: name(500) },
    metadata: { note: html },
    variants: [{ sku: `M-${n}`, optionValues: { [name(60).trim()]: name(120).trim() }, price: ron(1000), trackInventory: true }],
  });
  keep('product.description', product.description);
  for (const one of await shown(`/api/storefront/products/${slug}`)) keep('product.description', one.description);

  for (const [member, path, open] of [
    ['page.body', '/api/admin/pages/', '/api/storefront/pages/'],
    ['post.body', '/api/admin/blog/posts/', '/api/storefront/blog/posts/'],
  ] as const) {
    const post =
      member === 'post.body' ? { excerpt: name(1000), authorName: name(200), coverAlt: name(500), tags: [name(60)] } : {};
    const made = await send(admin, 'post', path, {
      title: name(300),
      slug,
      body: both,
      status: 'published',
      seo: { title: name(200), description: name(500) },
      ...post,
    });
    keep(member, (await send(admin, 'get', `${path}${made.id}`)).body);
    for (const one of await shown(`${open}${slug}`)) keep(member, one.body);
  }

  const banner = await send(admin, 'post', '/api/admin/sections/', {
    page: 'home',
    type: 'banner',
    placement: slug,
    settings: { heading: name(200), text: both, label: name(100) },
    image: '/files/nothing.png',
    imageAlt: name(500),
  });
  keep('banner.settings.text', banner.settings.text);
  for (const { data } of await shown(`/api/storefront/banners/${slug}`)) keep('banner.settings.text', data[0].settings.text);

  const event = await send(admin, 'post', '/api/admin/events/', {
    title: name(200),
    slug,
    startsAt: '2040-05-01T18:00:00Z',
    endsAt: '2040-05-01T21:00:00Z',
    timezone: 'Europe/Bucharest',
    venue: { name: name(200), address: name(500) },
    description: html,
  });
  keep('event.description', event.description);
  return { brand, category, product, banner, event };
}

/** One order whose every text says it, from the wait for the goods to the parcel; gives its id. */
export async function sellMarkup(
  { admin, guest }: Callers,
  payload: Payload,
  product: Json,
  shippingMethodId: string,
): Promise<string> {
  const { n } = payload;
  const name = (max: number): string => within(payload, max);
  const variantId = product.variants[0].id as string;
  const email = `buyer${n}@markup.example`;
  await send(guest, 'post', '/api/storefront/back-in-stock', { variantId, email });
  await send(admin, 'post', `/api/admin/inventory/${variantId}/adjust`, { delta: 5, reason: 'received', note: name(1000) });
  const cart = await send(guest, 'post', `${cartPath}/items`, { variantId, quantity: 1 });
  const who = {
    ...address,
    firstName: name(100),
    lastName: name(100),
    company: name(200),
    line1: name(200),
    line2: name(200),
    city: name(120),
  };
  const placed = await send(
    guest.with({ 'x-cart-token': cart.cartToken }),
    'post',
    `${checkoutPath}/place`,
    placeBody(1500, { email, billingAddress: who, shippingAddress: who, note: name(2000), shippingMethodId }),
  );
  const { id } = placed.order;
  await send(admin, 'post', `/api/admin/orders/${id}/internal-notes`, { text: name(5000) });
  return id;
}

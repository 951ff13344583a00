import { catalog, stock } from '@storeloom/commerce';
import { type Kernel, readInstallation } from '@storeloom/core';
import { benchTenant, fillShop } from './shop.ts';

export interface Seeded {
  tenantId: string;
  ownerToken: string;
  slugs: string[];
  variantIds: string[];
}

const words = ['Linen', 'Wool', 'Cotton', 'Oak', 'Clay', 'Copper', 'Slate', 'Birch'];
const nouns = ['shirt', 'jacket', 'lamp', 'pot', 'table', 'blanket', 'bowl', 'bag'];

/** Creates products `from` to `to` with three variants each, through the catalogue service. Those of a kept database remain. */
export async function seed({ from, to }: { from: number; to: number }): Promise<Seeded> {
  const installation = { ...(await readInstallation(process.cwd())), demo: [benchTenant] };
  return fillShop(installation, async ({ kernel, tenantId, ownerToken }) => {
    await addProducts(kernel, tenantId, Math.max(from, await countProducts(kernel, tenantId)), to);
    return { tenantId, ownerToken: await ownerToken(), ...(await pickVariants(kernel, tenantId)) };
  });
}

async function addProducts(kernel: Kernel, tenantId: string, from: number, to: number): Promise<void> {
  const money = (amount: number) => ({ amount, currency: 'RON' });
  for (let i = from; i < to; i += 50) {
    await kernel.inTenant(tenantId, 'workspace', async (ctx) => {
      const service = ctx.require(catalog);
      const levels = ctx.use(stock);
      for (let n = i; n < Math.min(to, i + 50); n++) {
        const slug = `product-${n}`;
        const title = `${words[n % 8]} ${nouns[Math.floor(n / 8) % 8]} ${n}`;
        const { variants } = await service.importProduct(
          {
            slug,
            title: { ro: title, en: title },
            description: { ro: `<p>${title}, made by hand.</p>`, en: `<p>${title}, made by hand.</p>` },
            status: 'active',
            type: 'physical',
            brand: `Brand ${n % 12}`,
            categoryPath: [`Group ${n % 5}`, `Shelf ${n % 20}`],
            tags: [`tag${n % 7}`],
            options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
            seo: null,
            images: [{ url: `/files/${slug}.svg`, alt: title, position: 0 }],
            variants: ['S', 'M', 'L'].map((size, position) => ({
              sku: `P${n}-${size}`,
              barcode: null,
              optionValues: { Size: size },
              price: money(1000 + ((n * 37) % 9000)),
              compareAtPrice: null,
              weightG: 300,
              trackInventory: true,
              allowBackorder: false,
              position,
            })),
          },
          'upsert',
        );
        for (const id of Object.values(variants)) await levels?.set(id, 1_000_000, { reference: 'bench', reason: 'received' });
      }
    });
  }
}

async function countProducts(kernel: Kernel, tenantId: string): Promise<number> {
  const { rows } = await kernel.database.withTenant(
    tenantId,
    (tx) =>
      tx.execute({ text: 'select count(*)::int as products from catalog_product where tenant_id = $1', values: [tenantId] }),
    { readOnly: true },
  );
  return rows[0]?.products as number;
}

/** Up to 3,000 variants with their products. */
async function pickVariants(kernel: Kernel, tenantId: string): Promise<{ variantIds: string[]; slugs: string[] }> {
  const rows = await kernel.database.withTenant(
    tenantId,
    async (tx) =>
      (
        await tx.execute({
          text: 'select v.id, p.slug from catalog_variant v join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id where v.tenant_id = $1 order by v.id limit 3000',
          values: [tenantId],
        })
      ).rows as { id: string; slug: string }[],
    { readOnly: true },
  );
  return { variantIds: rows.map(({ id }) => id), slugs: [...new Set(rows.map(({ slug }) => slug))] };
}

import { prepare, readConfig, readInstallation, seedDemo } from '@storeloom/core';
import { catalog } from '@storeloom/plugin-catalog/contract';
import { stock } from '@storeloom/plugin-inventory/contract';

export interface Seeded {
  tenantId: string;
  host: string;
  ownerToken: string;
  slugs: string[];
  variantIds: string[];
}

const words = ['Linen', 'Wool', 'Cotton', 'Oak', 'Clay', 'Copper', 'Slate', 'Birch'];
const nouns = ['shirt', 'jacket', 'lamp', 'pot', 'table', 'blanket', 'bowl', 'bag'];

/** Products `from`…`to` with three variants each, through the catalogue's own service; one bench tenant, made by the demo's way. */
export async function seed({ from, to, env }: { from: number; to: number; env: Record<string, string> }): Promise<Seeded> {
  const config = readConfig({ ...process.env, ...env });
  const installation = await readInstallation(process.cwd());
  const bench = {
    ...installation,
    demo: [
      {
        slug: 'bench',
        name: 'Bench',
        host: 'bench.localhost',
        locales: ['ro', 'en'],
        currency: 'RON',
        timezone: 'Europe/Bucharest',
      },
    ],
  };
  const prepared = await prepare(config, bench, { ownerUrl: env.DATABASE_URL as string });
  const report = await prepared.migrate();
  if (report.exitCode !== 0) throw new Error(JSON.stringify(report.failed));
  const kernel = await prepared.start({ port: 0, host: '127.0.0.1', workers: false });
  const logins = await seedDemo(kernel, bench, prepared.dataDir, () => undefined);
  const [owner] = logins.tenants;
  const tenantId = await kernel.database.withPlatform(
    async (tx) => (await tx.execute({ text: 'select id from core_tenant', values: [] })).rows[0]?.id as string,
  );
  const variantIds: string[] = [];
  const slugs: string[] = [];
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
  for (const row of rows) {
    variantIds.push(row.id);
    slugs.push(row.slug);
  }
  const answer = await fetch(`http://127.0.0.1:${kernel.port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: owner?.owner.email, password: owner?.owner.password, audience: 'admin' }),
  });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  await kernel.stop({ immediately: true });
  return { tenantId, host: 'bench.localhost', ownerToken: accessToken, slugs: [...new Set(slugs)], variantIds };
}

import type { ProductImport } from '@storeloom/commerce';
import { type Ctx, type Problem, problem, sql } from '@storeloom/plugin-sdk';

/** A variant that has a SKU or barcode of the import. */
interface CodeHolder {
  skuKey: string;
  barcode: string | null;
  productId: string;
  slug: string;
  status: string;
}

export async function codesOf(ctx: Ctx, files: readonly ProductImport[]): Promise<CodeHolder[]> {
  const variants = files.flatMap((file) => file.variants);
  const skus = variants.map(({ sku }) => sku.toLowerCase());
  const barcodes = variants.flatMap(({ barcode }) => (barcode === null ? [] : [barcode]));
  const holders = (condition: ReturnType<typeof sql>) => sql`
    select v.sku_key as "skuKey", v.barcode, v.product_id as "productId", p.slug, p.status
    from catalog_variant v join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${ctx.tenant.id} and v.deleted_at is null and ${condition}`;
  return ctx.db.rows<CodeHolder>(
    sql`${holders(sql`v.sku_key = any(${skus}::text[])`)} union ${holders(sql`v.barcode = any(${barcodes}::text[])`)}`,
  );
}

/** SKUs and barcodes that variants have, in the shop and in the part of the file that was read before. */
export class Codes {
  private readonly skus = new Map<string, CodeHolder>();
  private readonly barcodes = new Map<string, CodeHolder>();

  constructor(holders: readonly CodeHolder[]) {
    for (const holder of holders) this.add(holder);
  }

  /**
   * Claims the codes of a product's variants.
   * @throws Problem 409 `duplicate`, with an error for each code that another variant has
   */
  claim({ slug, status, variants }: ProductImport, productId: string): void {
    const errors: { pointer: string; code: string; message: string }[] = [];
    const own = new Map<string, number>();
    const ownBarcodes = new Map<string, CodeHolder>();
    const claimed: CodeHolder[] = [];
    for (const [i, { sku, barcode }] of variants.entries()) {
      const skuKey = sku.toLowerCase();
      const refuse = (name: string, message: string): void =>
        void errors.push({ pointer: `/variants/${i}/${name}`, code: 'duplicate', message });
      const first = own.get(skuKey);
      const holder = this.skus.get(skuKey);
      if (first !== undefined) refuse('sku', `SKU ${sku} is that of variant ${first + 1} of the product, too`);
      else if (holder && holder.productId !== productId) refuse('sku', `SKU ${sku} belongs to ${nameOf(holder)}`);
      own.set(skuKey, first ?? i);
      const same = barcode === null ? undefined : (ownBarcodes.get(barcode) ?? this.barcodes.get(barcode));
      if (same && same.skuKey !== skuKey)
        refuse('barcode', `barcode ${barcode} belongs to SKU ${same.skuKey.toUpperCase()} of ${nameOf(same)}`);
      const claim = { skuKey, barcode, productId, slug, status };
      claimed.push(claim);
      if (barcode !== null) ownBarcodes.set(barcode, claim);
    }
    if (errors.length > 0) throw taken(errors);
    for (const holder of claimed) this.add(holder);
  }

  private add(holder: CodeHolder): void {
    this.skus.set(holder.skuKey, holder);
    if (holder.barcode !== null) this.barcodes.set(holder.barcode, holder);
  }
}

function taken(errors: { pointer: string; code: string; message: string }[]): Problem {
  const field = errors[0]?.pointer.split('/').at(-1);
  return problem('duplicate', { field, detail: errors[0]?.message, errors });
}

const nameOf = ({ slug, status }: CodeHolder): string =>
  `the product ${slug}${status === 'archived' ? ', which is archived: change the SKU there first' : ''}`;

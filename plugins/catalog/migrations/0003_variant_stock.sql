-- Availability of each variant, kept by listing.ts: filters on options, price and stock must hold of one and the same variant. The
-- flag of the product is false only if none is available; the nightly refresh corrects the variants of the others.
alter table catalog_variant add column in_stock boolean not null default true;
update catalog_variant v set in_stock = false from catalog_product p
  where p.tenant_id = v.tenant_id and p.id = v.product_id and not p.in_stock;

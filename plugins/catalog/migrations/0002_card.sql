-- What storefront cards show of the variants, and their ids, kept by listing.ts: a page of cards reads its products only. Null: the
-- variants are read. json, not jsonb: it is never looked into here, only handed out.
alter table catalog_product add column card json, add column variant_ids uuid[];

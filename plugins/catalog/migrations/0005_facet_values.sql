-- Tags of a product and values of each option among its active variants, updated by listing.ts: facets count them without reading the
-- variants. JSON as text, because grouping by jsonb is several times as expensive.
alter table catalog_product add column facet_values text not null default '{"tags": [], "options": {}}';
update catalog_product p set facet_values = x.facet_values
from (
  select p.tenant_id, p.id, jsonb_build_object(
    'tags', (select coalesce(jsonb_agg(distinct g.tag), '[]') from jsonb_array_elements_text(p.tags) g (tag)),
    'options', coalesce(o.options, '{}'))::text as facet_values
  from catalog_product p
  left join (
    select o.tenant_id, o.product_id, jsonb_object_agg(o.name, o.vals) as options
    from (
      select v.tenant_id, v.product_id, e.key as name, jsonb_agg(distinct e.value) as vals
      from catalog_variant v cross join lateral jsonb_each_text(v.option_values) e
      where v.active and v.deleted_at is null group by v.tenant_id, v.product_id, e.key
    ) o group by o.tenant_id, o.product_id
  ) o on o.tenant_id = p.tenant_id and o.product_id = p.id
) x
where p.tenant_id = x.tenant_id and p.id = x.id;

-- The total of the items that thresholds for free shipping and the bounds of price rates are compared with.
alter table shipping_method add column value_basis text not null default 'before_discounts'
  check (value_basis in ('before_discounts', 'after_discounts'));

-- What the order charges for the stay: in the order's currency, and in the shop's. Null for reservations from before this migration.
alter table hotel_reservation
  add column order_price_amount bigint,
  add column order_price_currency char(3),
  add column order_total_amount bigint,
  add column order_total_currency char(3);

-- VAT of the stay, a snapshot. Null for reservations from before this migration.
alter table hotel_reservation
  add column tax_amount bigint,
  add column tax_currency char(3),
  -- [{ratePpm, base, tax}].
  add column tax_lines jsonb not null default '[]';

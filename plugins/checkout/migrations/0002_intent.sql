-- What the buyer intends before checkout: conditions of promotions and fees depend on it.
alter table checkout_cart add column payment_method text, add column country char(2);

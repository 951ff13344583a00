-- Processes remember where the shop delivers, how, and at what price.
select core_configuration_table('shipping_zone');
select core_configuration_table('shipping_method');
select core_configuration_table('shipping_rate');
select core_configuration_table('shipping_carrier', 'healthy', 'last_error');

-- Processes remember the payment methods that the shop offers.
select core_configuration_table('payments_payment_method');

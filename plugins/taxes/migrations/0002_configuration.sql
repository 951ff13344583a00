-- Processes remember categories and rates.
select core_configuration_table('taxes_category');
select core_configuration_table('taxes_rate');

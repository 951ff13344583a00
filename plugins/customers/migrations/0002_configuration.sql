-- Processes remember the group that guests belong to.
select core_configuration_table('customers_group');

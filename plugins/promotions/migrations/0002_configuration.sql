-- Processes remember the automatic promotions until one changes. Counters of what was used are read where they matter.
select core_configuration_table('promotions_promotion', 'used_count', 'used_amount');
drop table promotions_revision;

-- The functions were executable by PUBLIC: a revoke by another role than their owner has no effect.
set local role storeloom_platform;
select core_restrict_functions('orders_');
reset role;

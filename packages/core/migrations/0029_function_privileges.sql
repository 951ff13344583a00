-- The functions were executable by PUBLIC: a revoke by another role than their owner has no effect. `pg_temp` comes last, otherwise a
-- temporary table would be found before a table of the function's schemas.
set local role storeloom_platform;
do $$
declare
  definer regprocedure;
begin
  for definer in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef and starts_with(p.proname, 'core_')
      and p.proowner = 'storeloom_platform'::regrole
  loop
    execute format('alter function %s set search_path = pg_catalog, public, pg_temp', definer);
    execute format('revoke all on function %s from public', definer);
    execute format('grant execute on function %s to storeloom_app', definer);
  end loop;
end $$;
reset role;

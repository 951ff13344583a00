-- Restricts the SECURITY DEFINER functions of a plugin (`prefix` of their names, with the underscore) to the roles that call them. Their
-- owner calls it, `storeloom_platform`: a revoke by another role has no effect. `pg_temp` comes last in the path, otherwise a temporary
-- table would be found before a table of the function's schemas.
create function core_restrict_functions(prefix text) returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  definer regprocedure;
begin
  for definer in
    select p.oid from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef and starts_with(p.proname, prefix)
      and p.proowner = 'storeloom_platform'::regrole
  loop
    execute format('alter function %s set search_path = pg_catalog, public, pg_temp', definer);
    execute format('revoke all on function %s from public', definer);
    execute format('grant execute on function %s to storeloom_app', definer);
  end loop;
end $$;
revoke all on function core_restrict_functions(text) from public;
grant execute on function core_restrict_functions(text) to storeloom_platform;

set local role storeloom_platform;
select core_restrict_functions('core_');
reset role;

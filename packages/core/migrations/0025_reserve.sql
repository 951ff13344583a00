-- What keeps one thing from being given to two at once. Plugins call these in their migrations, so that the tenant stands first in each of them.

-- No two blocking rows of a resource may overlap: `[from, until)` of two timestamptz, date or integer columns. `blocking` is a condition on the
-- row; it can't ask for the time, so lapsed holds are moved on before a row comes in. The constraint is `<table>_<resource>_excl`,
-- an index for queries `<table>_<until>_idx`.
create function core_exclusion(name regclass, resource text, from_column text, until_column text, blocking text default null)
returns void language plpgsql as $$
declare
  short text := (select relname from pg_class where oid = name);
  type text := (select format_type(atttypid, null) from pg_attribute where attrelid = name and attname = from_column and not attisdropped);
  range text := case type when 'timestamp with time zone' then 'tstzrange' when 'date' then 'daterange' when 'integer' then 'int4range' end;
begin
  if range is null then
    raise exception '%.% must be a timestamptz, date or integer column, it is %', name, from_column, coalesce(type, 'not there');
  end if;
  if length(short || '_' || resource || '_excl') > 63 or length(short || '_' || until_column || '_check') > 63 then
    raise exception 'the constraints on % would have names of more than 63 characters', name;
  end if;
  execute format('alter table %s add constraint %I check (%I > %I)', name, short || '_' || until_column || '_check', until_column, from_column);
  execute format($d$alter table %s add constraint %I exclude using gist (tenant_id with =, %I with =, (%s(%I, %I, '[)')) with &&)%s$d$,
    name, short || '_' || resource || '_excl', resource, range, from_column, until_column, ' where (' || blocking || ')');
  -- Queries go by this one: behind row-level security no operator of ranges may look into an index.
  execute format('create index %I on %s (tenant_id, %I, %I)%s',
    short || '_' || until_column || '_idx', name, resource, until_column, ' where (' || blocking || ')');
end $$;

-- Makes a table of nights: each night of a resource is one holder's. Both are of the same plugin.
create function core_nights(name text, resource text, resource_table regclass, holder text, holder_table regclass) returns void language plpgsql as $$
begin
  execute format('create table %I (
    tenant_id uuid not null references core_tenant (id), %2$I uuid not null, night date not null, %3$I uuid not null,
    primary key (tenant_id, %2$I, night),
    foreign key (tenant_id, %2$I) references %4$s (tenant_id, id), foreign key (tenant_id, %3$I) references %5$s (tenant_id, id))',
    name, resource, holder, resource_table, holder_table);
  execute format('create index %I on %I (tenant_id, %I)', name || '_' || holder || '_idx', name, holder);
  perform core_tenant_table(name::regclass);
end $$;

-- Makes a table of counters, one row a key: `core_counter('hotel_type_night', 'room_type text', 'night date')`. `capacity` null: no limit.
create function core_counter(name text, variadic keys text[]) returns void language plpgsql as $$
declare
  key text;
  columns text := '';
  names text := '';
begin
  foreach key in array keys loop
    if split_part(key, ' ', 2) not in ('text', 'uuid', 'date', 'timestamptz', 'integer') then
      raise exception 'a key of the counter % must be `name type` with text, uuid, date, timestamptz or integer: %', name, key;
    end if;
    columns := columns || format('%I %s not null, ', split_part(key, ' ', 1), split_part(key, ' ', 2));
    names := names || format(', %I', split_part(key, ' ', 1));
  end loop;
  -- Room on the page for the next version of a row: a count changes no indexed column.
  execute format('create table %I (
    tenant_id uuid not null references core_tenant (id), %s
    capacity integer check (capacity >= 0),
    reserved integer not null default 0 check (reserved >= 0),
    primary key (tenant_id%s),
    constraint %I check (reserved <= capacity)) with (fillfactor = 70)', name, columns, names, name || '_limit_check');
  perform core_tenant_table(name::regclass);
end $$;

-- Token buckets in the layout of the library that counts them. Shared by all processes; a crash may forget them.
drop table core_rate;
create unlogged table core_rate (
  key varchar(255) primary key,
  points integer not null default 0,
  -- Milliseconds since the epoch.
  expire bigint
);
create index core_rate_expire_idx on core_rate (expire);
grant select, insert, update, delete on core_rate to storeloom_platform;

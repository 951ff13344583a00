-- A row that was made before its bytes, which a browser sends to the storage itself.
alter table core_file add column direct boolean not null default false;

-- Products of the file that are through: an attempt goes on behind them.
alter table data_exchange_import add column done integer not null default 0;

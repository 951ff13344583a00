-- What stood below the mail when it was written.
alter table core_mail add column footer text;

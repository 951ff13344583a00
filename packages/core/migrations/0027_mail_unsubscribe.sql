-- Where one click ends mails of this kind (RFC 8058).
alter table core_mail add column unsubscribe text;

-- True if the last round took long, as with a time-out. Slow endpoints of a tenant take turns.
alter table webhooks_endpoint add column slow boolean not null default false;
drop trigger configuration on webhooks_endpoint;
select core_configuration_table('webhooks_endpoint', 'url', 'description', 'active', 'secret', 'previous_secrets', 'off_since',
  'disabled_reason', 'succeeded_at', 'failing_since', 'quiet_until', 'runner', 'runner_until', 'slow');

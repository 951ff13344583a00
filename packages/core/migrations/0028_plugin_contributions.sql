-- Hooks that a plugin taps and events that it handles, as of the last boot at which it was ready. Null: it was never ready.
-- Without its code, the kernel learns from it which calls need the plugin.
alter table core_plugin_state add column contributions jsonb;

-- Tokens of the package registry: one that installs belongs to a licence, one that publishes names the packages it may publish.
create table platform_registry_token (
  id uuid primary key,
  kind text not null check (kind in ('install', 'publish')),
  license_id uuid references platform_license (id),
  -- Of a publisher: names of packages, or `@scope/*`.
  packages jsonb,
  name text not null,
  -- SHA-256, by which a token that is shown is found. One of a licence is sealed too, so that its mail can bring it again.
  token_hash text not null,
  token_sealed text,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint platform_registry_token_hash_key unique (token_hash),
  check ((kind = 'install') = (license_id is not null and token_sealed is not null)),
  check ((kind = 'publish') = (packages is not null))
);
-- A licence has one token that is live.
create unique index platform_registry_token_live_key on platform_registry_token (license_id) where revoked_at is null;
grant select, insert, update on platform_registry_token to storeloom_platform;

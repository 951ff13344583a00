-- A page of the shop.
create table content_page (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  title jsonb not null,
  slug text not null,
  body jsonb,
  template text,
  status text not null check (status in ('draft', 'scheduled', 'published', 'archived')),
  publish_at timestamptz,
  seo jsonb,
  show_in_menu boolean not null,
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint content_page_slug_key unique (tenant_id, slug),
  check (status not in ('scheduled', 'published') or publish_at is not null)
);
create index content_page_created_idx on content_page (tenant_id, created_at, id);
create index content_page_shown_idx on content_page (tenant_id, position, id) where status in ('scheduled', 'published');
create index content_page_scheduled_idx on content_page (publish_at) where status = 'scheduled';
select core_tenant_table('content_page');

-- A post of the blog.
create table content_post (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  title jsonb not null,
  slug text not null,
  body jsonb,
  template text,
  status text not null check (status in ('draft', 'scheduled', 'published', 'archived')),
  publish_at timestamptz,
  seo jsonb,
  show_in_menu boolean not null,
  position integer not null,
  excerpt jsonb,
  cover text,
  cover_alt jsonb,
  tags jsonb not null,
  author_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint content_post_slug_key unique (tenant_id, slug),
  check (status not in ('scheduled', 'published') or publish_at is not null)
);
create index content_post_created_idx on content_post (tenant_id, created_at, id);
create index content_post_shown_idx on content_post (tenant_id, publish_at, id) where status in ('scheduled', 'published');
create index content_post_scheduled_idx on content_post (publish_at) where status = 'scheduled';
select core_tenant_table('content_post');

-- Parts of a template or a page, in order; banners among them.
create table content_section (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  -- A template, or the id of a page.
  page text not null,
  type text not null,
  position integer not null check (position >= 0),
  settings jsonb not null,
  active boolean not null,
  audience jsonb,
  placement text,
  image text,
  image_alt jsonb,
  link text,
  starts_at timestamptz,
  ends_at timestamptz,
  priority integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  -- Dense: moving one moves the others, and the order is looked at when all have moved.
  constraint content_section_position_key unique (tenant_id, page, position) deferrable initially deferred,
  check (type <> 'banner' or placement is not null),
  check (ends_at > starts_at)
);
create index content_section_placement_idx on content_section (tenant_id, placement) where type = 'banner';
create index content_section_created_idx on content_section (tenant_id, created_at, id);
select core_tenant_table('content_section');

create table content_redirect (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  from_path text not null,
  "to" text not null,
  -- The path that it leads to in the shop itself; empty for other hosts.
  to_path text generated always as (case when "to" like '/%' then regexp_replace("to", '[?#].*$', '') end) stored,
  code integer not null check (code in (301, 302, 307, 308)),
  active boolean not null,
  hits bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id),
  constraint content_redirect_from_path_key unique (tenant_id, from_path)
);
create index content_redirect_to_idx on content_redirect (tenant_id, to_path) where to_path is not null;
create index content_redirect_created_idx on content_redirect (tenant_id, created_at, id);
select core_tenant_table('content_redirect');

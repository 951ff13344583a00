// Generated from the OpenAPI document of the plugin content. Do not edit.

import type { CallOptions, LocalText, Pages, Slice } from '../index.ts';

export interface ContentPage {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: LocalText;
  slug: string;
  body: LocalText | null;
  template: string | null;
  status: "draft" | "scheduled" | "published" | "archived";
  publishAt: string | null;
  seo: { title: LocalText | null; description: LocalText | null; canonical: string | null; noindex: boolean; } | null;
  showInMenu: boolean;
  position: number;
}

export interface ContentPageChange {
  title?: string | Record<string, string>;
  slug?: string;
  body?: string | Record<string, string> | null;
  template?: string | null;
  status?: "draft" | "scheduled" | "published" | "archived";
  publishAt?: string | null;
  seo?: { title?: string | Record<string, string> | null; description?: string | Record<string, string> | null; canonical?: string | null; noindex?: boolean; } | null;
  showInMenu?: boolean;
  position?: number;
}

export interface ContentPageInput {
  title: string | Record<string, string>;
  slug?: string;
  body?: string | Record<string, string> | null;
  template?: string | null;
  status?: "draft" | "scheduled" | "published" | "archived";
  publishAt?: string | null;
  seo?: { title?: string | Record<string, string> | null; description?: string | Record<string, string> | null; canonical?: string | null; noindex?: boolean; } | null;
  showInMenu?: boolean;
  position?: number;
}

export interface ContentPagePublishedEvent {
  id: string;
  slug: string;
  title: LocalText;
  path: string;
  publishAt: string;
}

export interface ContentPageRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: LocalText;
  slug: string;
  template: string | null;
  status: "draft" | "scheduled" | "published" | "archived";
  publishAt: string | null;
  seo: { title: LocalText | null; description: LocalText | null; canonical: string | null; noindex: boolean; } | null;
  showInMenu: boolean;
  position: number;
}

export interface ContentPost {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: LocalText;
  slug: string;
  body: LocalText | null;
  template: string | null;
  status: "draft" | "scheduled" | "published" | "archived";
  publishAt: string | null;
  seo: { title: LocalText | null; description: LocalText | null; canonical: string | null; noindex: boolean; } | null;
  showInMenu: boolean;
  position: number;
  excerpt: LocalText | null;
  cover: string | null;
  coverAlt: LocalText | null;
  tags: string[];
  authorName: string | null;
}

export interface ContentPostChange {
  title?: string | Record<string, string>;
  slug?: string;
  body?: string | Record<string, string> | null;
  template?: string | null;
  status?: "draft" | "scheduled" | "published" | "archived";
  publishAt?: string | null;
  seo?: { title?: string | Record<string, string> | null; description?: string | Record<string, string> | null; canonical?: string | null; noindex?: boolean; } | null;
  showInMenu?: boolean;
  position?: number;
  excerpt?: string | Record<string, string> | null;
  cover?: string | null;
  coverAlt?: string | Record<string, string> | null;
  tags?: string[];
  authorName?: string | null;
}

export interface ContentPostInput {
  title: string | Record<string, string>;
  slug?: string;
  body?: string | Record<string, string> | null;
  template?: string | null;
  status?: "draft" | "scheduled" | "published" | "archived";
  publishAt?: string | null;
  seo?: { title?: string | Record<string, string> | null; description?: string | Record<string, string> | null; canonical?: string | null; noindex?: boolean; } | null;
  showInMenu?: boolean;
  position?: number;
  excerpt?: string | Record<string, string> | null;
  cover?: string | null;
  coverAlt?: string | Record<string, string> | null;
  tags?: string[];
  authorName?: string | null;
}

export interface ContentPostRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: LocalText;
  slug: string;
  template: string | null;
  status: "draft" | "scheduled" | "published" | "archived";
  publishAt: string | null;
  seo: { title: LocalText | null; description: LocalText | null; canonical: string | null; noindex: boolean; } | null;
  showInMenu: boolean;
  position: number;
  excerpt: LocalText | null;
  cover: string | null;
  coverAlt: LocalText | null;
  tags: string[];
  authorName: string | null;
}

export interface ContentRedirect {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  fromPath: string;
  to: string;
  code: number;
  active: boolean;
  hits: number;
}

export interface ContentRedirectChange {
  fromPath?: string;
  to?: string;
  code?: number;
  active?: boolean;
}

export interface ContentRedirectInput {
  fromPath: string;
  to: string;
  code?: number;
  active?: boolean;
}

export interface ContentRedirectRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  fromPath: string;
  to: string;
  code: number;
  active: boolean;
  hits: number;
}

export interface ContentSection {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  page: string;
  type: string;
  position: number;
  settings: Record<string, unknown>;
  active: boolean;
  audience: { who: "all" | "guests" | "customers"; groupIds: string[]; } | null;
  placement: string | null;
  image: string | null;
  imageAlt: LocalText | null;
  link: string | null;
  startsAt: string | null;
  endsAt: string | null;
  priority: number;
}

export interface ContentSectionInput {
  page: string;
  type: string;
  position?: number;
  settings?: Record<string, unknown>;
  active?: boolean;
  audience?: { who?: "all" | "guests" | "customers"; groupIds?: string[]; } | null;
  placement?: string | null;
  image?: string | null;
  imageAlt?: string | Record<string, string> | null;
  link?: string | null;
  startsAt?: string | null;
  endsAt?: string | null;
  priority?: number;
}

export interface ContentSectionRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  page: string;
  type: string;
  position: number;
  settings: Record<string, unknown>;
  active: boolean;
  audience: { who: "all" | "guests" | "customers"; groupIds: string[]; } | null;
  placement: string | null;
  image: string | null;
  imageAlt: LocalText | null;
  link: string | null;
  startsAt: string | null;
  endsAt: string | null;
  priority: number;
}

export interface StorefrontGetBannersByPlacementRow {
  id: string;
  placement: string;
  image: string | null;
  imageAlt: string | null;
  link: string | null;
  priority: number;
  settings: { heading: string | null; text: string | null; label: string | null; };
}

export interface StorefrontGetBlogPostsBySlugAnswer {
  id: string;
  slug: string;
  path: string;
  title: string;
  excerpt: string | null;
  cover: string | null;
  coverAlt: string | null;
  tags: string[];
  authorName: string | null;
  publishAt: string;
  updatedAt: string;
  template: string;
  body: string | null;
  seo: { title: string | null; description: string | null; canonical: string; noindex: boolean; locales: string[]; };
}

export interface StorefrontGetBlogPostsRow {
  id: string;
  slug: string;
  path: string;
  title: string;
  excerpt: string | null;
  cover: string | null;
  coverAlt: string | null;
  tags: string[];
  authorName: string | null;
  publishAt: string;
  updatedAt: string;
}

export interface StorefrontGetCmsPageAnswer {
  page: { id: string; slug: string; path: string; title: string; template: string; showInMenu: boolean; position: number; publishAt: string; updatedAt: string; body: string | null; sections: { type: string; settings: Record<string, unknown>; position: number; }[]; seo: { title: string | null; description: string | null; canonical: string; noindex: boolean; locales: string[]; }; } | null;
  sections: { type: string; settings: Record<string, unknown>; position: number; }[];
  seo: { title: string | null; description: string | null; canonical: string; noindex: boolean; locales: string[]; } | null;
  redirect: { to: string; code: number; } | null;
}

export interface StorefrontGetPageConfigAnswer {
  template: string;
  sections: { type: string; settings: Record<string, unknown>; position: number; }[];
}

export interface StorefrontGetPagesBySlugAnswer {
  id: string;
  slug: string;
  path: string;
  title: string;
  template: string;
  showInMenu: boolean;
  position: number;
  publishAt: string;
  updatedAt: string;
  body: string | null;
  sections: { type: string; settings: Record<string, unknown>; position: number; }[];
  seo: { title: string | null; description: string | null; canonical: string; noindex: boolean; locales: string[]; };
}

export interface StorefrontGetPagesRow {
  id: string;
  slug: string;
  path: string;
  title: string;
  template: string;
  showInMenu: boolean;
  position: number;
  publishAt: string;
  updatedAt: string;
}

export interface AdminGetBlogPostsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "publishAt" | "-publishAt" | "position" | "-position") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "publishAt" | "-publishAt" | "position" | "-position")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  slug?: string | { ne?: string; in?: string | readonly string[]; };
  template?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "draft" | "scheduled" | "published" | "archived" | { ne?: "draft" | "scheduled" | "published" | "archived"; in?: ("draft" | "scheduled" | "published" | "archived") | readonly ("draft" | "scheduled" | "published" | "archived")[]; };
  publishAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  showInMenu?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  tags?: string;
}

export interface AdminDeleteBlogPostsByIdQuery {
  /** Where its visitors are sent from now on */
  redirectTo?: string;
}

export interface AdminGetPagesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "publishAt" | "-publishAt" | "position" | "-position") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "publishAt" | "-publishAt" | "position" | "-position")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  slug?: string | { ne?: string; in?: string | readonly string[]; };
  template?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "draft" | "scheduled" | "published" | "archived" | { ne?: "draft" | "scheduled" | "published" | "archived"; in?: ("draft" | "scheduled" | "published" | "archived") | readonly ("draft" | "scheduled" | "published" | "archived")[]; };
  publishAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  showInMenu?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminDeletePagesByIdQuery {
  /** Where its visitors are sent from now on */
  redirectTo?: string;
}

export interface AdminGetRedirectsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "fromPath" | "-fromPath" | "hits" | "-hits") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "fromPath" | "-fromPath" | "hits" | "-hits")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  fromPath?: string | { ne?: string; in?: string | readonly string[]; };
  to?: string | { ne?: string; in?: string | readonly string[]; };
  code?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  active?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetSectionsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "position" | "-position" | "priority" | "-priority") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "position" | "-position" | "priority" | "-priority")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  page?: string | { ne?: string; in?: string | readonly string[]; };
  type?: string | { ne?: string; in?: string | readonly string[]; };
  active?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  placement?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface StorefrontGetBannersByPlacementQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface StorefrontGetBlogPostsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("publishAt" | "-publishAt") | readonly ("publishAt" | "-publishAt")[];
  tag?: string;
}

export interface StorefrontGetCmsPageQuery {
  /** `/pages/about` or `/about` */
  path: string;
}

export interface StorefrontGetPageConfigQuery {
  template: string;
}

export interface StorefrontGetPagesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("position" | "-position" | "publishAt" | "-publishAt") | readonly ("position" | "-position" | "publishAt" | "-publishAt")[];
  showInMenu?: boolean;
}

export interface ContentAdmin {
  blog: {
    posts: {
      /** Create a post. `POST /api/admin/blog/posts`, permission `content.post.create`. */
      create(body: ContentPostInput, options?: CallOptions): Promise<ContentPost>;
      /** Read a post. `GET /api/admin/blog/posts/{id}`, permission `content.post.read`. */
      get(id: string, options?: CallOptions): Promise<ContentPost>;
      /** List posts. `GET /api/admin/blog/posts`, permission `content.post.read`. */
      list(query?: AdminGetBlogPostsQuery, options?: CallOptions): Pages<ContentPostRow>;
      /** Delete a post. `DELETE /api/admin/blog/posts/{id}`, permission `content.post.delete`. */
      remove(id: string, query?: AdminDeleteBlogPostsByIdQuery, options?: CallOptions): Promise<void>;
      /** Change a post. `PATCH /api/admin/blog/posts/{id}`, permission `content.post.update`. */
      update(id: string, body: ContentPostChange, options?: CallOptions): Promise<ContentPost>;
    };
  };
  pages: {
    /** Create a page. `POST /api/admin/pages`, permission `content.page.create`. */
    create(body: ContentPageInput, options?: CallOptions): Promise<ContentPage>;
    /** Read a page. `GET /api/admin/pages/{id}`, permission `content.page.read`. */
    get(id: string, options?: CallOptions): Promise<ContentPage>;
    /** List pages. `GET /api/admin/pages`, permission `content.page.read`. */
    list(query?: AdminGetPagesQuery, options?: CallOptions): Pages<ContentPageRow>;
    /** Delete a page. `DELETE /api/admin/pages/{id}`, permission `content.page.delete`. */
    remove(id: string, query?: AdminDeletePagesByIdQuery, options?: CallOptions): Promise<void>;
    /** Change a page. `PATCH /api/admin/pages/{id}`, permission `content.page.update`. */
    update(id: string, body: ContentPageChange, options?: CallOptions): Promise<ContentPage>;
  };
  redirects: {
    /** Create a redirect. `POST /api/admin/redirects`, permission `content.redirect.create`. */
    create(body: ContentRedirectInput, options?: CallOptions): Promise<ContentRedirect>;
    /** List redirects. `GET /api/admin/redirects`, permission `content.redirect.read`. */
    list(query?: AdminGetRedirectsQuery, options?: CallOptions): Pages<ContentRedirectRow>;
    /** Delete a redirect. `DELETE /api/admin/redirects/{id}`, permission `content.redirect.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a redirect. `PATCH /api/admin/redirects/{id}`, permission `content.redirect.update`. */
    update(id: string, body: ContentRedirectChange, options?: CallOptions): Promise<ContentRedirect>;
  };
  sections: {
    /** Create a section. `POST /api/admin/sections`, permission `content.section.create`. */
    create(body: ContentSectionInput, options?: CallOptions): Promise<ContentSection>;
    /** List sections. `GET /api/admin/sections`, permission `content.section.read`. */
    list(query?: AdminGetSectionsQuery, options?: CallOptions): Pages<ContentSectionRow>;
    /** Delete a section. `DELETE /api/admin/sections/{id}`, permission `content.section.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Replace a section. `PUT /api/admin/sections/{id}`, permission `content.section.update`. */
    replace(id: string, body: ContentSectionInput, options?: CallOptions): Promise<ContentSection>;
  };
}

export interface ContentStorefront {
  banners: {
    /** Banners of a placement that are shown now, the most important first. `GET /api/storefront/banners/{placement}`. */
    list(placement: string, query?: StorefrontGetBannersByPlacementQuery, options?: CallOptions): Pages<StorefrontGetBannersByPlacementRow>;
  };
  blog: {
    posts: {
      /** A post. `GET /api/storefront/blog/posts/{slug}`. */
      get(slug: string, options?: CallOptions): Promise<StorefrontGetBlogPostsBySlugAnswer>;
      /** Published posts, newest first. `GET /api/storefront/blog/posts`. */
      list(query?: StorefrontGetBlogPostsQuery, options?: CallOptions): Pages<StorefrontGetBlogPostsRow>;
    };
  };
  cmsPage: {
    /** What a path of the shop shows: a page, or where it has moved. `GET /api/storefront/cms-page`. */
    get(query: StorefrontGetCmsPageQuery, options?: CallOptions): Promise<StorefrontGetCmsPageAnswer>;
  };
  pageConfig: {
    /** Sections of a template. `GET /api/storefront/page-config`. */
    get(query: StorefrontGetPageConfigQuery, options?: CallOptions): Promise<StorefrontGetPageConfigAnswer>;
  };
  pages: {
    /** A page with its sections. `GET /api/storefront/pages/{slug}`. */
    get(slug: string, options?: CallOptions): Promise<StorefrontGetPagesBySlugAnswer>;
    /** Published pages. `GET /api/storefront/pages`. */
    list(query?: StorefrontGetPagesQuery, options?: CallOptions): Pages<StorefrontGetPagesRow>;
  };
}

export interface ContentEvents {
  'content.page.published': ContentPagePublishedEvent;
  'content.post.published': ContentPagePublishedEvent;
}

const adminRoutes = `
blog.posts.create POST /blog/posts bk
blog.posts.get GET /blog/posts/{}
blog.posts.list GET /blog/posts lq
blog.posts.remove DELETE /blog/posts/{} q
blog.posts.update PATCH /blog/posts/{} b
pages.create POST /pages bk
pages.get GET /pages/{}
pages.list GET /pages lq
pages.remove DELETE /pages/{} q
pages.update PATCH /pages/{} b
redirects.create POST /redirects bk
redirects.list GET /redirects lq
redirects.remove DELETE /redirects/{}
redirects.update PATCH /redirects/{} b
sections.create POST /sections bk
sections.list GET /sections lq
sections.remove DELETE /sections/{}
sections.replace PUT /sections/{} b
`;

const storefrontRoutes = `
banners.list GET /banners/{} lq
blog.posts.get GET /blog/posts/{}
blog.posts.list GET /blog/posts lq
cmsPage.get GET /cms-page q
pageConfig.get GET /page-config q
pages.get GET /pages/{}
pages.list GET /pages lq
`;

/** Routes and events of content. */
export const content: Slice<{ admin: ContentAdmin; storefront: ContentStorefront }, ContentEvents> = { plugin: 'content', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of content for visitors of a shop: without those for staff and operators. */
export const contentStorefront: Slice<{ storefront: ContentStorefront }, ContentEvents> = { plugin: 'content', routes: { storefront: storefrontRoutes } };

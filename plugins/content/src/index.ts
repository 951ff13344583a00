import { definePlugin, fileUses as fileUsesHook, migrations, provide, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { banners } from './banners.ts';
import { redirects } from './contract.ts';
import { pageEvents, postEvents } from './events.ts';
import { fileUses } from './file-uses.ts';
import { overdue, publish } from './jobs.ts';
import { page } from './page.ts';
import { post } from './post.ts';
import { queued } from './queued.ts';
import { redirect, redirectService } from './redirect.ts';
import { section } from './section.ts';
import { seedDemo } from './seed.ts';
import { postBySlug, posts } from './storefront-blog.ts';
import { cmsPage, pageBySlug, pageConfig, pages } from './storefront-pages.ts';

export default definePlugin({
  name: 'content',
  migrations: migrations(import.meta.url, ['0001_content.sql']),
  admin: [page, post, section, redirect],
  storefront: [pages, pageBySlug, cmsPage, pageConfig, posts, postBySlug, banners],
  hooks(h) {
    h.on(fileUsesHook, fileUses);
  },
  events: {
    emits: [...Object.values(pageEvents), ...Object.values(postEvents)],
  },
  jobs: { ...work(queued.publish, publish), overdue },
  provides: [provide(redirects, redirectService)],
  errors: { redirect_loop: { status: 409, title: 'Redirect loop' } },
  seeds: { demo: seedDemo },
  locales: { ro, en },
});

import { f, resource, type Shape } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';
import { postPath } from './addresses.ts';
import { afterCreate, documentFields, documentRoutes, type Kind, prepare, sendOn, update } from './document.ts';
import { postEvents } from './events.ts';

const fields = {
  ...documentFields,
  excerpt: f.i18n({ max: 1000 }).optional(),
  cover: linkField().optional(),
  coverAlt: f.i18n({ max: 500 }).optional(),
  tags: f
    .list(f.text({ max: 60 }), { max: 50 })
    .default([])
    .filter(),
  authorName: f.text({ max: 200 }).optional(),
} satisfies Shape;

/** A post of the blog, `/blog/{slug}`. */
export const post = resource('post', {
  path: 'blog/posts',
  verbs: ['list', 'create', 'get', 'update', 'remove'],
  fields,
  uniques: [{ fields: ['slug'] }],
  indexes: [
    { name: 'content_post_created_idx', fields: ['createdAt', 'id'] },
    { name: 'content_post_shown_idx', fields: ['publishAt', 'id'], where: "status in ('scheduled', 'published')" },
  ],
  sqlOnly: { content_post_scheduled_idx: 'without tenant: the job that publishes reads the due posts of all tenants' },
  deletes: 'free',
  routes: documentRoutes,
  before: {
    create: (ctx, input) => prepare(ctx, postKind, input),
    remove: (ctx, row, req) => sendOn(ctx, postKind, row, req),
  },
  after: {
    create: (ctx, row) => afterCreate(ctx, postKind, row),
    remove: (ctx) => ctx.dropCache('content'),
  },
  handlers: { update: (ctx, req) => update(ctx, postKind, req) },
});

export const postKind: Kind = {
  entity: 'content.post',
  events: postEvents,
  table: post as Kind['table'],
  sqlName: 'content_post',
  path: postPath,
};

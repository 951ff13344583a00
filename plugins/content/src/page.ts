import { resource } from '@storeloom/plugin-sdk';
import { pagePath } from './addresses.ts';
import { afterCreate, documentFields, documentRoutes, type Kind, prepare, sendOn, update } from './document.ts';
import { pageEvents } from './events.ts';
import { removeSectionsOf } from './section-order.ts';

/** A page, `/pages/{slug}`. Below its text stand the sections that name its id. */
export const page = resource('page', {
  path: 'pages',
  verbs: ['list', 'create', 'get', 'update', 'remove'],
  fields: documentFields,
  uniques: [{ fields: ['slug'] }],
  indexes: [
    { name: 'content_page_created_idx', fields: ['createdAt', 'id'] },
    { name: 'content_page_shown_idx', fields: ['position', 'id'], where: "status in ('scheduled', 'published')" },
  ],
  sqlOnly: { content_page_scheduled_idx: 'without tenant: the job that publishes reads the due pages of all tenants' },
  deletes: 'free',
  routes: documentRoutes,
  before: {
    create: (ctx, input) => prepare(ctx, pageKind, input),
    remove: (ctx, row, req) => sendOn(ctx, pageKind, row, req),
  },
  after: {
    create: (ctx, row) => afterCreate(ctx, pageKind, row),
    async remove(ctx, row) {
      await removeSectionsOf(ctx, row.id);
      ctx.dropCache('content');
    },
  },
  handlers: { update: (ctx, req) => update(ctx, pageKind, req) },
});

export const pageKind: Kind = {
  entity: 'content.page',
  events: pageEvents,
  table: page,
  sqlName: 'content_page',
  path: pagePath,
};

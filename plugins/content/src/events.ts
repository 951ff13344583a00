import { entityEvents, f } from '@storeloom/plugin-sdk';

const snapshot = { id: f.id(), slug: f.slug(), title: f.i18n({ max: 300 }), path: f.text(), publishAt: f.instant() };

/** Events of `content.page`. */
export const pageEvents = entityEvents('content.page', {
  published: { public: true, title: 'A page was published', data: snapshot },
});
/** Events of `content.post`. */
export const postEvents = entityEvents('content.post', {
  published: { public: true, title: 'A post was published', data: snapshot },
});

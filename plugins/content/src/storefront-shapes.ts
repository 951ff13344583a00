import { f, type Shape } from '@storeloom/plugin-sdk';

export const seoShape = {
  title: f.text({ max: 300 }).optional(),
  description: f.text({ max: 500 }).optional(),
  /** An address, or the path of the document itself. */
  canonical: f.text({ max: 2000 }),
  noindex: f.bool(),
  /** Languages it is written in. */
  locales: f.list(f.text({ max: 20 })),
} satisfies Shape;

export const sectionShape = {
  type: f.text({ max: 100 }),
  settings: f.json().describe('By the schema of the section’s type.'),
  position: f.int(),
} satisfies Shape;

export const pageCard = {
  id: f.id(),
  slug: f.slug(),
  path: f.text(),
  title: f.text({ max: 300 }),
  template: f.text({ max: 120 }),
  showInMenu: f.bool(),
  position: f.int(),
  publishAt: f.instant(),
  updatedAt: f.instant(),
} satisfies Shape;

export const pageDetail = {
  ...pageCard,
  body: f.text({ max: 200_000 }).optional(),
  sections: f.list(f.object(sectionShape)),
  seo: f.object(seoShape),
} satisfies Shape;

export const postCard = {
  id: f.id(),
  slug: f.slug(),
  path: f.text(),
  title: f.text({ max: 300 }),
  excerpt: f.text({ max: 1000 }).optional(),
  cover: f.text({ max: 2000 }).optional(),
  coverAlt: f.text({ max: 500 }).optional(),
  tags: f.list(f.text()),
  authorName: f.text().optional(),
  publishAt: f.instant(),
  updatedAt: f.instant(),
} satisfies Shape;

export const postDetail = {
  ...postCard,
  template: f.text({ max: 120 }),
  body: f.text({ max: 200_000 }).optional(),
  seo: f.object(seoShape),
} satisfies Shape;

import type { Ctx } from '@storeloom/plugin-sdk';
import { page } from './page.ts';
import { post } from './post.ts';
import { section } from './section.ts';

/** What a shop begins with: who it is, one post, one banner. Existing ones stay as they are. */
export async function seedDemo(ctx: Ctx): Promise<void> {
  const { name, locales, defaultLocale } = ctx.tenant;
  const now = ctx.clock.now();
  /** Only the shop's own languages. */
  const texts = (ro: string, en: string): Record<string, string> => {
    const kept = Object.fromEntries(Object.entries({ ro, en }).filter(([locale]) => locales.includes(locale)));
    return { ...kept, [defaultLocale]: kept[defaultLocale] ?? en };
  };
  const published = { status: 'published', publishAt: now } as const;
  if (!(await ctx.rows(page).first({ slug: 'about' })))
    await ctx.rows(page).insert({
      ...published,
      slug: 'about',
      title: texts('Despre noi', 'About us'),
      body: texts(`<p>${name} este un magazin demonstrativ.</p>`, `<p>${name} is a demonstration shop.</p>`),
      showInMenu: true,
      position: 1,
    });
  if (!(await ctx.rows(page).first({ slug: 'delivery' })))
    await ctx.rows(page).insert({
      ...published,
      slug: 'delivery',
      title: texts('Livrare', 'Delivery'),
      body: texts(
        '<p>Costul și termenul de livrare apar la finalizarea comenzii.</p>',
        '<p>Cost and time of delivery are shown at checkout.</p>',
      ),
      showInMenu: true,
      position: 2,
    });
  if (!(await ctx.rows(post).first({ slug: 'welcome' })))
    await ctx.rows(post).insert({
      ...published,
      slug: 'welcome',
      title: texts('Bun venit', 'Welcome'),
      excerpt: texts('Magazinul este deschis.', 'The shop is open.'),
      body: texts('<p>Magazinul este deschis.</p>', '<p>The shop is open.</p>'),
      tags: ['shop'],
    });
  if (!(await ctx.rows(section).first({ type: 'banner', placement: 'home-top' })))
    await ctx.rows(section).insert({
      page: 'home',
      type: 'banner',
      placement: 'home-top',
      position: await ctx.rows(section).count({ page: 'home' }),
      settings: { heading: texts('Bun venit', 'Welcome'), text: null, label: null },
      link: '/pages/about',
    });
}

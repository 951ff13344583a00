import {
  type BaseRow,
  type CreateOf,
  type Ctx,
  checkReferences,
  checkVersion,
  f,
  invalid,
  noContent,
  type Req,
  type RowOf,
  referenceNotFound,
  resource,
  type Shape,
  uuidPattern,
} from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';
import { audienceField } from './audience.ts';
import { changed } from './changed.ts';
import { page } from './page.ts';
import { closeGap, lockPages, move, openGap } from './section-order.ts';
import { banner, readSettings } from './section-settings.ts';
import { type ActiveTheme, activeTheme, hasTemplate, nameField } from './templates.ts';

const entity = 'content.section';
const atTheEnd = 10_000;

const fields = {
  /** A template of the theme, or the id of a page. */
  page: nameField().filter(),
  /** A kind of section of the active theme, or `banner`. */
  type: nameField().filter(),
  /** From 0, without gaps; others make way. Left out: the end. */
  position: f.int({ min: 0, max: atTheEnd }).default(atTheEnd).sort(),
  settings: f.json({ max: 65_536 }).default({}).describe('By the schema of the section’s type.'),
  active: f.bool().default(true).filter(),
  audience: audienceField(),
  /** Of banners, which need one: where it is shown, `home-top`. */
  placement: nameField().optional().filter(),
  image: linkField().optional(),
  imageAlt: f.i18n({ max: 500 }).optional(),
  link: linkField().optional(),
  startsAt: f.instant().optional(),
  endsAt: f.instant().optional(),
  /** Of the banners of one placement the highest comes first. */
  priority: f.int({ min: -1000, max: 1000 }).default(0).sort(),
} satisfies Shape;
type Section = RowOf<typeof fields> & BaseRow;
type Input = CreateOf<typeof fields>;
type Request = Req<Record<string, string>, never, never>;

export const section = resource('section', {
  path: 'sections',
  verbs: ['list', 'create', 'replace', 'remove'],
  fields,
  uniques: [{ name: 'content_section_position_key', fields: ['page', 'position'] }],
  indexes: [
    { name: 'content_section_created_idx', fields: ['createdAt', 'id'] },
    { fields: ['placement'], where: "type = 'banner'" },
  ],
  defaultSort: 'position',
  deletes: 'free',
  before: {
    async create(ctx, input) {
      const settings = await check(ctx, input);
      await lockPages(ctx, input.page);
      return { settings, position: await openGap(ctx, input.page, input.position) };
    },
  },
  after: { create: (ctx) => ctx.dropCache('content') },
  handlers: { replace, remove },
});

/** Checks a section independently of its previous state. Returns its settings as stored. */
async function check(ctx: Ctx, input: Input): Promise<Record<string, unknown>> {
  const theme = await activeTheme(ctx);
  const settings = await readSettings(ctx, theme, input.type, input.settings);
  await checkPlace(ctx, theme, input);
  if (input.type === banner && input.placement === null) throw invalid('/placement', 'required', 'is required for banners');
  if (input.type !== banner)
    for (const name of ['placement', 'image', 'imageAlt', 'link', 'startsAt', 'endsAt'] as const)
      if (input[name] !== null) throw invalid(`/${name}`, 'not_a_banner', 'is for banners only');
  if (input.startsAt !== null && input.endsAt !== null && input.endsAt <= input.startsAt)
    throw invalid('/endsAt', 'before_start', 'must be after startsAt');
  return settings;
}

async function checkPlace(ctx: Ctx, theme: ActiveTheme, { page: place, type }: Input): Promise<void> {
  let template = place;
  if (uuidPattern.test(place)) {
    // Held, so that it isn't removed while a section is put on it.
    const found = await ctx.rows(page).get(place, { lock: true });
    if (!found) throw referenceNotFound('/page');
    template = found.template ?? 'page';
  } else if (!hasTemplate(theme, place))
    throw invalid('/page', 'unknown_template', `the theme has no template ${place}; it has ${theme.templates.join(', ')}`);
  const templates = type === banner ? null : theme.sections[type]?.enabledOn;
  if (templates && !templates.includes(template))
    throw invalid('/type', 'not_on_template', `${type} is only allowed in ${templates.join(', ')}`);
}

/** Own handlers for what moves others: the lock of the order comes before that of a row. */
async function held(ctx: Ctx, req: Request, ...pages: string[]): Promise<Section> {
  const rows = ctx.rows(section);
  const id = req.params.id as string;
  for (;;) {
    const seen = await rows.require(id);
    await lockPages(ctx, seen.page, ...pages);
    const row = await rows.require(id, { lock: true });
    if (row.page !== seen.page) continue;
    checkVersion(req.ifMatch, row);
    return row;
  }
}

async function replace(ctx: Ctx, req: Request): Promise<Section> {
  const input = req.body as Input;
  await ctx.rows(section).require(req.params.id as string);
  await checkReferences(ctx, fields, input);
  const settings = await check(ctx, input);
  const before = await held(ctx, req, input.page);
  const { id, page: from } = before;
  let { position } = input;
  if (from === input.page) position = await move(ctx, from, id, before.position, position);
  else {
    await closeGap(ctx, from, before.position);
    position = await openGap(ctx, input.page, position);
  }
  const after = await ctx.rows(section).update(id, { ...input, settings, position });
  await changed(ctx, entity, 'updated', before, after);
  return after;
}

async function remove(ctx: Ctx, req: Request): Promise<unknown> {
  const before = await held(ctx, req);
  await ctx.rows(section).remove(before.id);
  await closeGap(ctx, before.page, before.position);
  await changed(ctx, entity, 'deleted', before, null);
  return noContent();
}

import { type Ctx, f, invalid, type RowOf, statsCatalogue } from '@storeloom/plugin-sdk';

/** Columns of the grid. */
const gridWidth = 12;

export const itemFields = {
  /** Key of the catalogue of widgets. */
  widget: f.text({ max: 80 }),
  x: f.int({ min: 0, max: gridWidth - 1 }),
  y: f.int({ min: 0, max: 1000 }),
  w: f.int({ min: 1, max: gridWidth }),
  h: f.int({ min: 1, max: 24 }),
  /** The widget's own, for the screen that draws it. */
  settings: f.json({ max: 4000 }).default({}).describe('By the widget.'),
};
/** The example has no widgets, because they depend on the plugins of the shop. */
export const items = f.list(f.object(itemFields), { max: 60 }).example([]);
export type Item = RowOf<typeof itemFields>;

export interface Widget {
  key: string;
  plugin: string;
  title: Record<string, string>;
  /** Useful sizes in columns and rows; the first is the default. */
  sizes: { w: number; h: number }[];
  permission: string;
}
const sizes = [
  { w: 6, h: 4 },
  { w: 3, h: 2 },
  { w: 12, h: 4 },
];

/** One widget a figure, of the plugins that are on. */
export function widgets(ctx: Ctx): Widget[] {
  return ctx
    .require(statsCatalogue)
    .all()
    .filter(({ plugin }) => ctx.isOn(plugin))
    .map(({ name, plugin, title, permission }) => ({ key: name, plugin, title, sizes, permission }));
}

const overlap = (a: Item, b: Item): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Widgets that are known, inside the grid, none above another. One whose plugin was switched off may stay where it is. */
export function checkItems(ctx: Ctx, given: readonly Item[], before: readonly Item[] = []): void {
  const known = new Set([...widgets(ctx).map(({ key }) => key), ...before.map(({ widget }) => widget)]);
  for (const [i, item] of given.entries()) {
    if (!known.has(item.widget)) throw invalid(`/items/${i}/widget`, 'unknown', 'is not a widget of this shop');
    if (item.x + item.w > gridWidth) throw invalid(`/items/${i}/w`, 'too_big', `exceeds the ${gridWidth} columns of the grid`);
    const other = given.findIndex((each, j) => j < i && overlap(each, item));
    if (other !== -1) throw invalid(`/items/${i}`, 'overlap', `overlaps with item ${other}`);
  }
}

/** Every widget that the shop has, two in a row. */
export function arranged(ctx: Ctx): Item[] {
  return widgets(ctx).map(({ key, sizes: [size = { w: 6, h: 4 }] }, i) => ({
    widget: key,
    x: (i % 2) * size.w,
    y: Math.floor(i / 2) * size.h,
    ...size,
    settings: {},
  }));
}

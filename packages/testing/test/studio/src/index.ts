import { definePlugin, entityOf, f, many, migrations, one, table } from '@storeloom/plugin-sdk';

export const artist = table('artist', {
  name: f.text(),
  note: f.text().optional(),
  profile: f.anyJson().optional(),
  title: f.text().translatable().optional(),
  tags: f.list(f.text()).default([]),
  born: f.date().optional(),
  opens: f.time({ endOfDay: true }).optional(),
  joined: f.instant().optional(),
  active: f.bool().default(true),
  rate: f.decimal().default('1'),
  works: f.int().default(0),
  fee: f.money().optional(),
  due: f.money(),
  apiKey: f.secret().optional(),
});
const piece = table('piece', { artistId: f.ref('studio.artist'), title: f.text(), position: f.int() });
export const sketch = table('sketch', { title: f.text() }, { softDelete: true });
const payment = table('payment', { cents: f.int() }, { appendOnly: true });

export const Artist = entityOf(artist, { relations: { pieces: many(piece, 'artistId', { orderBy: { position: 'asc' } }) } });
export const Piece = entityOf(piece, { relations: { artist: one(artist, 'artistId') } });
export const Sketch = entityOf(sketch, { offered: true });
export const Payment = entityOf(payment);

export default definePlugin({
  name: 'studio',
  tables: [artist, piece, sketch, payment],
  migrations: migrations(import.meta.url, ['0001_studio.sql']),
  locales: { ro: {}, en: {} },
});

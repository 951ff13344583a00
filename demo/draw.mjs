#!/usr/bin/env node
// Generates the images of the demo shops: `node demo/draw.mjs [shop…]`.
// <shop>/drawings.json contains kind, colours and shape parameters of each file; the title for screen readers is
// the "Image Alt Text" of the file in products.csv. A second run changes nothing.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordsOf } from './csv.mjs';
import { accessories } from './drawings/accessories.mjs';
import { camp } from './drawings/camp.mjs';
import { clothes } from './drawings/clothes.mjs';
import { garden } from './drawings/garden.mjs';
import { home } from './drawings/home.mjs';
import { close, page } from './drawings/kit.mjs';
import { kitchen } from './drawings/kitchen.mjs';
import { lamps } from './drawings/lamps.mjs';
import { plants } from './drawings/plants.mjs';
import { tableware } from './drawings/tableware.mjs';

const kinds = { ...clothes, ...accessories, ...camp, ...kitchen, ...tableware, ...lamps, ...home, ...plants, ...garden };
const LIMIT = 6000;

/** Muted backgrounds per shop; pale objects use the darker ones for contrast. */
const grounds = {
  nord: { plain: ['#e6ebe8', '#e9e6df', '#e3e9ef', '#ece7ea', '#e8ebe1'], deep: ['#c3cfca', '#d2c9b8', '#bccad6', '#cfc3c8'] },
  casa: { plain: ['#f0e8dc', '#e8ece2', '#efe3de', '#e6eaec', '#f1ebdb'], deep: ['#d3c4ac', '#c2ccb6', '#d4bfb6', '#b9c6cc'] },
};

const pale = (hex) => {
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));
  return r * 0.3 + g * 0.59 + b * 0.11 > 198;
};

/** A stable choice: all images of a product have the same background, unless one is pale. */
function ground(shop, handle, colour) {
  let h = 0;
  for (const ch of handle) h = (h * 31 + ch.codePointAt(0)) >>> 0;
  const set = grounds[shop][colour && pale(colour) ? 'deep' : 'plain'];
  return set[h % set.length];
}

function draw(shop) {
  const folder = fileURLToPath(new URL(`./${shop}/`, import.meta.url));
  const specs = JSON.parse(readFileSync(`${folder}drawings.json`, 'utf8'));
  const { records } = recordsOf(readFileSync(`${folder}products.csv`, 'utf8'));
  const rows = new Map(records.filter((r) => r['Image Src']).map((r) => [r['Image Src'].replace('images/', ''), r]));
  mkdirSync(`${folder}images`, { recursive: true });
  for (const old of readdirSync(`${folder}images`)) if (!(old in specs)) rmSync(`${folder}images/${old}`);
  for (const [file, { kind, params, zoom }] of Object.entries(specs)) {
    if (!kinds[kind]) throw new Error(`${shop}/${file}: no drawing of kind "${kind}"`);
    const row = rows.get(file);
    if (!row) throw new Error(`${shop}/${file}: no product row names this image`);
    const body = kinds[kind](params);
    const svg = page(row['Image Alt Text'], ground(shop, row.Handle, params.c), zoom ? close(body, ...zoom) : body);
    if (Buffer.byteLength(svg) >= LIMIT) throw new Error(`${shop}/${file}: ${Buffer.byteLength(svg)} bytes, limit ${LIMIT}`);
    writeFileSync(`${folder}images/${file}`, svg);
  }
  const used = new Set(Object.values(specs).map((s) => s.kind));
  console.log(`${shop}: ${Object.keys(specs).length} images of ${used.size} kinds`);
}

for (const shop of process.argv.length > 2 ? process.argv.slice(2) : ['nord', 'casa']) draw(shop);

#!/usr/bin/env node
// Checks the demo catalogues against the rules of their format: `node demo/check.mjs`. Exit code 1 with one line per
// fault, otherwise 0 with the counts. The import refuses most faults too; this check finds them before a start.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordsOf } from './csv.mjs';

const faults = [];
const decoder = new TextDecoder('utf-8', { fatal: true });
const seenBarcodes = new Set();

function load(folder, name) {
  try {
    const text = decoder.decode(readFileSync(folder + name));
    if (text.normalize('NFC') !== text) faults.push(`${name}: not in Unicode form NFC`);
    if (/[şţŞŢ]/.test(text)) faults.push(`${name}: s or t has a cedilla instead of a comma below`);
    if (text.includes('\0') || text.includes('\uFFFD')) faults.push(`${name}: NUL or replacement character`);
    const table = recordsOf(text);
    for (const r of table.records) {
      if (r.width !== table.head.length) faults.push(`${name}:${r.line}: ${r.width} cells, header has ${table.head.length}`);
      // Spreadsheets evaluate cells that start with these.
      for (const h of table.head) if (/^[=+\-@\t\r]/.test(r[h])) faults.push(`${name}:${r.line}: ${h} begins like a formula`);
    }
    return table;
  } catch (error) {
    faults.push(`${name}: ${error.message}`);
    return { head: [], records: [] };
  }
}

const gtinOk = (code) =>
  /^2\d{12}$/.test(code) &&
  Number(code.slice(0, 3)) <= 299 &&
  [...code].reduce((s, d, i) => s + Number(d) * (i % 2 ? 3 : 1), 0) % 10 === 0;
const priceOk = (text) => /^\d{1,6}\.\d{2}$/.test(text) && Number(text) > 0;
const htmlOk = (html) => {
  const open = [];
  for (const [, end, tag] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (!['p', 'ul', 'li', 'strong', 'em'].includes(tag)) return false;
    if (!end) open.push(tag);
    else if (open.pop() !== tag) return false;
  }
  return open.length === 0 && html.startsWith('<p>');
};

function unique(file, what, values) {
  const seen = new Set();
  for (const v of values) {
    if (seen.has(v)) faults.push(`${file}: ${what} "${v}" twice`);
    seen.add(v);
  }
  return seen;
}

function checkProducts(shop, folder, { categories, brands }) {
  const file = `${shop}/products.csv`;
  const { records } = load(folder, 'products.csv');
  const paths = new Set(
    categories.map((c) => (c.parent ? `${categories.find((p) => p.slug === c.parent)?.name_ro} > ${c.name_ro}` : c.name_ro)),
  );
  const brandNames = new Set(brands.map((b) => b.name_ro));
  const specs = JSON.parse(readFileSync(`${folder}drawings.json`, 'utf8'));
  const files = new Set(readdirSync(`${folder}images`));
  const products = new Map();
  const used = new Set();
  const fault = (r, text) => faults.push(`${file}:${r.line} ${r.Handle}: ${text}`);
  let last = '';
  for (const r of records) {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(r.Handle)) fault(r, 'handle is no slug');
    if (r.Handle !== last && products.has(r.Handle)) fault(r, 'rows of one handle are not together');
    last = r.Handle;
    if (!products.has(r.Handle))
      products.set(r.Handle, {
        first: r,
        options: [1, 2, 3].map((i) => r[`Option${i} Name`]).filter(Boolean),
        variants: [],
        images: [],
      });
    const p = products.get(r.Handle);
    if (r === p.first) {
      for (const h of ['Title', 'Body (HTML)', 'Vendor', 'Type', 'Tags', 'SEO Title', 'SEO Description'])
        if (!r[h]) fault(r, `${h} is empty`);
      if (!paths.has(r.Type) || !r.Type.includes(' > ')) fault(r, `Type "${r.Type}" is no leaf of categories.csv`);
      if (!brandNames.has(r.Vendor)) fault(r, `Vendor "${r.Vendor}" is not in brands.csv`);
      if (!htmlOk(r['Body (HTML)'])) fault(r, 'Body (HTML) is not well formed');
      if (r['SEO Title'].length > 65 || r['SEO Description'].length > 160) fault(r, 'SEO text too long');
      if (r.Published !== 'true' || p.options.length === 0) fault(r, 'not published, or no options');
    } else if (r.Title || [1, 2, 3].some((i) => r[`Option${i} Name`])) fault(r, 'product members belong on the first row');
    if (r['Image Src']) {
      p.images.push(r);
      const name = r['Image Src'].replace('images/', '');
      if (used.has(name)) fault(r, `image ${name} twice`);
      used.add(name);
      if (!files.has(name) || !specs[name]) fault(r, `image ${name} is missing`);
      if (!r['Image Alt Text'] || Number(r['Image Position']) !== p.images.length)
        fault(r, 'image without alternative text, or out of order');
    }
    if (!r['Variant SKU']) {
      if (!r['Image Src']) fault(r, 'neither variant nor image');
      continue;
    }
    p.variants.push(r);
    p.options.forEach((name, i) => {
      if (!r[`Option${i + 1} Value`]) fault(r, `no value for ${name}`);
    });
    if (!gtinOk(r['Variant Barcode'])) fault(r, `barcode ${r['Variant Barcode']}`);
    if (seenBarcodes.has(r['Variant Barcode'])) fault(r, 'barcode twice');
    seenBarcodes.add(r['Variant Barcode']);
    if (!priceOk(r['Variant Price'])) fault(r, `price "${r['Variant Price']}"`);
    if (
      r['Variant Compare At Price'] &&
      !(priceOk(r['Variant Compare At Price']) && Number(r['Variant Compare At Price']) > Number(r['Variant Price']))
    )
      fault(r, 'compare-at price not above the price');
    if (!(priceOk(r['Cost per item']) && Number(r['Cost per item']) < Number(r['Variant Price'])))
      fault(r, 'cost not below the price');
    if (!/^[1-9]\d*$/.test(r['Variant Grams']) || !/^\d+$/.test(r['Variant Inventory Qty']))
      fault(r, 'grams or stock is no whole number');
    if (!['deny', 'continue'].includes(r['Variant Inventory Policy'])) fault(r, 'inventory policy');
  }
  for (const [handle, p] of products) {
    const key = (r) => [1, 2, 3].map((i) => r[`Option${i} Value`]).join(' / ');
    unique(file, `${handle}: option combination`, p.variants.map(key));
    if (p.variants.length < 1 || p.variants.length > 12) faults.push(`${file}: ${handle} has ${p.variants.length} variants`);
    if (p.variants.length === 1 && key(p.variants[0]) !== 'Default Title /  / ')
      faults.push(`${file}: ${handle} has one variant with options`);
    if (p.images.length === 0) faults.push(`${file}: ${handle} has no image`);
    const own = new Set(p.images.map((r) => r['Image Src']));
    for (const r of p.variants)
      if (r['Variant Image'] && !own.has(r['Variant Image'])) faults.push(`${file}:${r.line}: variant image of another product`);
  }
  const variants = [...products.values()].flatMap((p) => p.variants);
  unique(
    file,
    'SKU',
    variants.map((r) => r['Variant SKU'].toLowerCase()),
  );
  unique(
    file,
    'title',
    [...products.values()].map((p) => p.first.Title),
  );
  unique(
    file,
    'text',
    [...products.values()].map((p) => p.first['Body (HTML)']),
  );
  for (const name of files) if (!used.has(name)) faults.push(`${shop}/images/${name}: used by no product`);
  for (const name of files) {
    const svg = decoder.decode(readFileSync(`${folder}images/${name}`));
    if (
      svg.length >= 6000 ||
      !/^<svg [^>]*viewBox="0 0 800 800"[^>]*><title>[^<]+<\/title>/.test(svg) ||
      /<script|href|url\(|\son\w+=|<foreignObject|NaN|undefined/i.test(svg)
    )
      faults.push(`${shop}/images/${name}: too large, untitled, or with other elements than plain shapes`);
  }
  for (const path of [...paths].filter((x) => x.includes(' > ')))
    if (![...products.values()].some((p) => p.first.Type === path))
      faults.push(`${shop}/categories.csv: "${path}" has no product`);
  return { products, variants, images: files.size };
}

function checkTranslations(shop, folder, products) {
  const file = `${shop}/translations.en.csv`;
  const { records } = load(folder, 'translations.en.csv');
  const handles = unique(
    file,
    'handle',
    records.map((r) => r.Handle),
  );
  for (const h of products.keys()) if (!handles.has(h)) faults.push(`${file}: ${h} is missing`);
  unique(
    file,
    'title',
    records.map((r) => r.Title),
  );
  for (const r of records) {
    const p = products.get(r.Handle);
    if (!p) faults.push(`${file}:${r.line}: no product ${r.Handle}`);
    else if (r['Body (HTML)'] === p.first['Body (HTML)']) faults.push(`${file}:${r.line}: text is not translated`);
    if (!r.Title || !htmlOk(r['Body (HTML)']) || !r['SEO Title'] || !r['SEO Description'])
      faults.push(`${file}:${r.line}: incomplete or not well formed`);
    if (r['SEO Title'].length > 65 || r['SEO Description'].length > 160) faults.push(`${file}:${r.line}: SEO text too long`);
  }
}

function check(shop) {
  const folder = fileURLToPath(new URL(`./${shop}/`, import.meta.url));
  const meta = JSON.parse(decoder.decode(readFileSync(`${folder}shop.json`)));
  if (meta.slug !== shop || meta.currency !== 'RON' || !meta.locales.includes(meta.defaultLocale))
    faults.push(`${shop}/shop.json: slug, currency or locales`);
  const categories = load(folder, 'categories.csv').records;
  const brands = load(folder, 'brands.csv').records;
  for (const [file, list] of [
    ['categories.csv', categories],
    ['brands.csv', brands],
  ]) {
    const slugs = unique(
      `${shop}/${file}`,
      'slug',
      list.map((x) => x.slug),
    );
    for (const x of list) {
      if (!x.slug || !x.name_ro || !x.name_en || !x.description_ro || !x.description_en || !/^\d+$/.test(x.position))
        faults.push(`${shop}/${file}:${x.line}: incomplete`);
      if (x.parent && (!slugs.has(x.parent) || list.find((p) => p.slug === x.parent).parent))
        faults.push(`${shop}/${file}:${x.line}: parent ${x.parent} is missing or not a root`);
    }
  }
  const { products, variants, images } = checkProducts(shop, folder, { categories, brands });
  checkTranslations(shop, folder, products);
  const count = (f) => variants.filter(f).length;
  const withOptions = [...products.values()].filter((p) => p.variants.length > 1).length;
  const prices = variants.map((r) => Number(r['Variant Price']));
  if (products.size < 64 || withOptions * 2 < products.size)
    faults.push(`${shop}: ${products.size} products, ${withOptions} with options`);
  console.log(
    `${shop}: ${products.size} products (${withOptions} with options), ${variants.length} variants, ${categories.length} categories, ${brands.length} brands, ${images} images; ` +
      `${count((r) => r['Variant Compare At Price'])} reduced variants, ${count((r) => r['Variant Inventory Qty'] === '0')} sold out, ${count((r) => ['1', '2', '3', '4', '5'].includes(r['Variant Inventory Qty']))} low, ` +
      `prices ${Math.min(...prices).toFixed(2)}–${Math.max(...prices).toFixed(2)} RON`,
  );
}

for (const shop of ['nord', 'casa']) check(shop);
for (const f of faults) console.error(f);
if (faults.length) console.error(`${faults.length} faults`);
process.exitCode = faults.length ? 1 : 0;

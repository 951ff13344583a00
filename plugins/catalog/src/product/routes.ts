import { textGenerator } from '@storeloom/commerce';
import {
  type Ctx,
  checkVersion,
  created,
  f,
  isEmptyPatch,
  type LocalText,
  noContent,
  problem,
  route,
  type Shape,
} from '@storeloom/plugin-sdk';
import { brand } from './brand.ts';
import { duplicateProduct } from './duplicate.ts';
import { product, productCreate, productPatch } from './product.ts';
import { listProducts, productAnswer, productList, productRowAnswer, productView } from './read.ts';
import { createProduct, removeProduct, updateProduct } from './write.ts';

const byId = { id: f.id() };
const entity = 'catalog.product';
const writeProblems = [
  'duplicate',
  'option_mismatch',
  'last_variant',
  'digital_file_missing',
  'bundle_nested',
  'in_use',
  'money_invalid',
  'currency_mismatch',
  'quota_exceeded',
];

const describeBody = {
  locale: f.text({ max: 20 }).optional(),
  tone: f.text({ max: 100 }).optional(),
  facts: f.list(f.text({ max: 500 }), { max: 50 }).default([]),
} satisfies Shape;

export const productRoutes = [
  route(
    'GET',
    '/products/',
    { permission: 'catalog.product.read', query: productList, response: productRowAnswer, list: true },
    (ctx, req) => listProducts(ctx, req.query),
  ),
  route(
    'POST',
    '/products/',
    { permission: 'catalog.product.create', body: productCreate, response: productAnswer, status: 201, problems: writeProblems },
    async (ctx, req) => {
      const id = await createProduct(ctx, req.body);
      const after = await productView(ctx, id);
      await ctx.audit({ entity, entityId: id, before: null, after });
      return created(`/products/${id}`, { id, ...after });
    },
  ),
  route('GET', '/products/{id}', { permission: 'catalog.product.read', params: byId, response: productAnswer }, (ctx, req) =>
    productView(ctx, req.params.id),
  ),
  route(
    'PATCH',
    '/products/{id}',
    { permission: 'catalog.product.update', params: byId, body: productPatch, response: productAnswer, problems: writeProblems },
    async (ctx, req) => {
      const before = await productView(ctx, req.params.id);
      if (isEmptyPatch(req.body)) {
        checkVersion(req.ifMatch, before);
        return before;
      }
      await updateProduct(ctx, req.params.id, req.body, req.ifMatch);
      const after = await productView(ctx, req.params.id);
      await ctx.audit({ entity, entityId: req.params.id, before, after });
      return after;
    },
  ),
  route(
    'DELETE',
    '/products/{id}',
    {
      permission: 'catalog.product.delete',
      params: byId,
      status: 204,
      problems: ['in_use'],
      summary: 'Remove a product; one that orders contain is archived instead',
    },
    async (ctx, req) => {
      const before = await productView(ctx, req.params.id);
      const how = await removeProduct(ctx, req.params.id, req.ifMatch);
      await ctx.audit({
        entity,
        entityId: req.params.id,
        before,
        after: how === 'archived' ? { ...before, status: 'archived' } : null,
      });
      return noContent();
    },
  ),
  route(
    'POST',
    '/products/{id}/duplicate',
    {
      summary: 'Duplicate a product as a draft',
      permission: 'catalog.product.duplicate',
      params: byId,
      response: productAnswer,
      status: 201,
      problems: ['quota_exceeded'],
    },
    async (ctx, req) => {
      const id = await duplicateProduct(ctx, req.params.id);
      const after = await productView(ctx, id);
      await ctx.audit({ entity, entityId: id, before: null, after, extra: { copyOf: req.params.id } });
      return created(`/products/${id}`, { id, ...after });
    },
  ),
  route(
    'POST',
    '/products/{id}/generate-description',
    {
      permission: 'catalog.product.generate-description',
      params: byId,
      body: describeBody,
      partial: false,
      response: { text: f.i18n({ max: 50_000 }), provider: f.text() },
      transaction: 'none',
      problems: ['provider_not_configured'],
      summary: 'Propose a description; nothing is saved',
    },
    (ctx, req) => describe(ctx, req.params.id, req.body),
  ),
];

async function describe(
  ctx: Ctx,
  id: string,
  input: { locale: string | null; tone: string | null; facts: string[] },
): Promise<{ text: LocalText; provider: string }> {
  const known = await ctx.transaction(
    async (inside) => {
      const row = await inside.rows(product).require(id);
      const named = row.brandId === null ? undefined : await inside.rows(brand).get(row.brandId);
      return { title: row.title, brand: named?.name ?? null, options: row.options, tags: row.tags };
    },
    { readOnly: true },
  );
  if (input.locale !== null && !ctx.tenant.locales.includes(input.locale))
    throw problem('validation_failed', {
      errors: [{ pointer: '/locale', code: 'unknown_locale', message: `${input.locale} is not a locale of this shop` }],
    });
  const writer = ctx.use(textGenerator);
  if (!writer)
    throw problem('provider_not_configured', {
      provider: 'text-generation',
      detail: 'No installed plugin provides text generation.',
    });
  const text = await writer.describe({
    locales: input.locale === null ? ctx.tenant.locales : [input.locale],
    tone: input.tone,
    facts: input.facts,
    product: known,
    signal: ctx.signal,
  });
  return { text, provider: writer.provider };
}

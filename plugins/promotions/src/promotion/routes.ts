import { created, f, type ListQuery, noContent, route } from '@storeloom/plugin-sdk';
import { promotionEvents, publishPromotion } from '../events.ts';
import { type PromotionView, promotionBody, promotionResponse } from './promotion.ts';
import { listPromotions, promotionList, promotionView } from './read.ts';
import { createPromotion, removePromotion, updatePromotion } from './write.ts';

const byId = { id: f.id() };
const entity = 'promotions.promotion';

/** The audit log has the number of codes instead of up to 10,000 codes. */
function auditView({ codes, ...view }: PromotionView): object {
  return { ...view, codes: codes === null ? null : codes.length };
}

export const promotionRoutes = [
  route(
    'GET',
    '/promotions/',
    { permission: 'promotions.promotion.read', query: promotionList, response: promotionResponse, list: true },
    (ctx, req) => listPromotions(ctx, req.query as ListQuery),
  ),
  route(
    'POST',
    '/promotions/',
    {
      permission: 'promotions.promotion.create',
      body: promotionBody,
      response: promotionResponse,
      status: 201,
      problems: ['duplicate'],
    },
    async (ctx, req) => {
      const id = await createPromotion(ctx, req.body);
      const after = await promotionView(ctx, id);
      await ctx.audit({ entity, entityId: id, before: null, after: auditView(after) });
      await publishPromotion(ctx, 'created', after);
      return created(`/promotions/${id}`, after);
    },
  ),
  route(
    'PATCH',
    '/promotions/{id}',
    {
      permission: 'promotions.promotion.update',
      params: byId,
      body: promotionBody,
      response: promotionResponse,
      problems: ['duplicate', 'promotion_in_use'],
    },
    async (ctx, req) => {
      const { id } = req.params;
      const before = await promotionView(ctx, id);
      await updatePromotion(ctx, id, req.body, req.ifMatch);
      const after = await promotionView(ctx, id);
      if (after.version === before.version) return after;
      await ctx.audit({ entity, entityId: id, before: auditView(before), after: auditView(after) });
      await publishPromotion(ctx, 'updated', after);
      return after;
    },
  ),
  route(
    'DELETE',
    '/promotions/{id}',
    {
      permission: 'promotions.promotion.delete',
      params: byId,
      status: 204,
      problems: ['promotion_in_use', 'in_use'],
      summary: 'Delete a promotion that no order has used',
    },
    async (ctx, req) => {
      const { id } = req.params;
      const before = await promotionView(ctx, id);
      await removePromotion(ctx, id, req.ifMatch);
      await ctx.audit({ entity, entityId: id, before: auditView(before), after: null });
      await ctx.emit(promotionEvents.deleted, { id, data: { id, name: before.name } });
      return noContent();
    },
  ),
];

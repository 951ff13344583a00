import { type Ctx, entityEvents, f, type Shape } from '@storeloom/plugin-sdk';
import { type PromotionView, stages, statuses, types } from './promotion/promotion.ts';

const promotionPayload = {
  id: f.id(),
  name: f.text(),
  code: f.text({ max: 60 }).optional(),
  stage: f.oneOf(stages),
  type: f.oneOf(types),
  status: f.oneOf(statuses),
  startsAt: f.instant().optional(),
  endsAt: f.instant().optional(),
} satisfies Shape;

/** Events of `promotions.promotion`. */
export const promotionEvents = entityEvents('promotions.promotion', {
  created: { public: true, title: 'A promotion was created', data: promotionPayload },
  updated: { public: true, title: 'A promotion was updated', data: promotionPayload },
  exhausted: {
    public: true,
    title: 'A promotion reached its usage limit or budget',
    data: { id: f.id(), name: f.text(), reason: f.oneOf(['usage_limit', 'budget']) },
  },
  deleted: { title: 'A promotion was deleted', data: { id: f.id(), name: f.text() } },
});

export function publishPromotion(ctx: Ctx, verb: 'created' | 'updated', view: PromotionView): Promise<void> {
  const { id, name, code, stage, type, status, startsAt, endsAt } = view;
  return ctx.emit(promotionEvents[verb], { id, data: { id, name, code, stage, type, status, startsAt, endsAt } });
}

import { type Ctx, checkVersion, created, f, route } from '@storeloom/plugin-sdk';
import { lockOrder } from '../lock.ts';
import { internalNote, order } from '../tables.ts';
import { adminViewOf } from '../view/admin-view.ts';
import { orderShape } from '../view/shapes.ts';
import { authorOf, emitOrderEvent } from './transition.ts';

export const notesRoute = route(
  'PATCH',
  '/orders/{id}/notes',
  {
    permission: 'orders.order.update',
    summary: 'Set the note of an order, visible to the buyer',
    body: { note: f.text({ max: 2000 }).optional() },
    response: orderShape,
    problems: ['version_conflict'],
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    const data = await lockOrder(ctx, id);
    checkVersion(req.ifMatch, data.row);
    const { note } = req.body;
    if (note !== undefined && note !== data.row.notes) {
      const row = await ctx.rows(order).update(id, { notes: note });
      await ctx.audit({ entity: 'orders.order', entityId: id, before: { notes: data.row.notes }, after: { notes: note } });
      await emitOrderEvent(ctx, row, 'updated');
    }
    return adminViewOf(ctx, id);
  },
);

export const internalNoteRoute = route(
  'POST',
  '/orders/{id}/internal-notes',
  {
    permission: 'orders.internal-note.create',
    summary: 'Add an internal note, visible to staff only',
    body: { text: f.text({ max: 5000 }) },
    response: { id: f.id(), text: f.text({ max: 5000 }), by: f.text().optional(), createdAt: f.instant() },
    status: 201,
  },
  async (ctx: Ctx, req) => {
    const id = req.params.id as string;
    await ctx.rows(order).require(id);
    const note = await ctx.rows(internalNote).insert({ orderId: id, text: req.body.text, by: authorOf(ctx) });
    const { text, by, createdAt } = note;
    await ctx.audit({ entity: 'orders.internal-note', entityId: note.id, after: { orderId: id } });
    return created(`/orders/${id}`, { id: note.id, text, by, createdAt });
  },
);

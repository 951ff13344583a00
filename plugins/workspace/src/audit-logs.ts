import { auditLog, f, problem, route } from '@storeloom/plugin-sdk';

const row = {
  id: f.id(),
  position: f.int(),
  actor: f.object({ type: f.text(), id: f.text().optional() }),
  action: f.text(),
  entity: f.text(),
  entityId: f.text().optional(),
  changes: f.json({ max: 1_000_000 }).describe('Members that changed, with both values.'),
  ip: f.text().optional(),
  requestId: f.text().optional(),
  at: f.instant(),
  prevHash: f.text(),
  hash: f.text(),
};
const query = {
  limit: f.int({ min: 1, max: 100 }).default(20),
  cursor: f.text({ max: 200 }).optional().example(null),
  actor: f.text().optional(),
  action: f.text().optional(),
  entity: f.text().optional(),
  entityId: f.text().optional(),
  from: f.instant().optional(),
  to: f.instant().optional(),
};

export const auditLogRoutes = [
  route(
    'GET',
    '/audit-logs/',
    { permission: 'workspace.audit-log.read', summary: 'Who changed what, newest first', query, response: row, list: true },
    async (ctx, req) => {
      const { limit, ...rest } = req.query;
      const asked = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
      const { rows, nextCursor } = await ctx.require(auditLog).list(ctx, { limit, ...asked });
      return { data: rows, page: { limit, nextCursor } };
    },
  ),
  route(
    'GET',
    '/audit-logs/{id}',
    { permission: 'workspace.audit-log.read', summary: 'One change', response: row },
    async (ctx, req) => {
      const found = await ctx.require(auditLog).get(ctx, req.params.id as string);
      if (!found) throw problem('not_found');
      return found;
    },
  ),
];

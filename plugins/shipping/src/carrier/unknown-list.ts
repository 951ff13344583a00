import { f, type ListQuery, list, type RowOf, route, sql } from '@storeloom/plugin-sdk';
import { carrierNames } from './names.ts';

const unknown = list({
  defaultSort: '-createdAt',
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    provider: { field: f.oneOf(carrierNames) },
    awbNumber: { field: f.text({ max: 100 }), column: 't.awb_number' },
  },
  sorts: { createdAt: { column: 't.created_at', type: 'timestamptz' }, at: { column: 't.at', type: 'timestamptz' } },
});

const unknownShape = {
  id: f.id(),
  provider: f.oneOf(carrierNames),
  awbNumber: f.text(),
  code: f.text(),
  status: f.text().optional(),
  at: f.instant(),
  location: f.text().optional(),
  description: f.text({ max: 500 }).optional(),
  createdAt: f.instant(),
};

export const listUnknown = route(
  'GET',
  '/shipping/unknown-events',
  {
    permission: 'shipping.carrier.read',
    summary: 'List carrier events of unknown AWBs',
    additive: true,
    query: unknown,
    response: unknownShape,
    list: true,
  },
  (ctx, req) =>
    unknown.run<RowOf<typeof unknownShape>>(ctx, req.query as ListQuery, {
      select: sql`t.id, t.provider, t.awb_number as "awbNumber", t.code, nullif(t.status, '') as status, t.at, t.location, t.description, t.created_at as "createdAt"`,
      from: sql`shipping_unknown_event t`,
      where: sql`t.tenant_id = ${ctx.tenant.id} and not exists (select from shipping_awb a where a.tenant_id = t.tenant_id and a.provider = t.provider and a.awb_number = t.awb_number)`,
    }),
);

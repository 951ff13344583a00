import { f, listOf, route } from '@storeloom/plugin-sdk';
import { publicView } from '@storeloom/plugin-sdk/public';
import { rosterOf } from './roster.ts';
import { serviceFields } from './service.ts';

const view = publicView(
  serviceFields,
  [
    'id',
    'name',
    'description',
    'durationMin',
    'price',
    'capacity',
    'minNoticeMin',
    'maxAdvanceDays',
    'cancelCutoffMin',
    'requiresConfirmation',
    'deposit',
    'category',
    'color',
  ],
  { staff: f.list(f.object({ id: f.id(), name: f.text() })) },
);

export const publicServices = route(
  'GET',
  '/booking/services',
  {
    summary: 'Bookable services and their staff',
    mirror: false,
    cache: { tags: ['booking'], maxAge: 60 },
    response: view.shape,
    list: true,
  },
  async (ctx) => {
    const { services, workers } = await rosterOf(ctx);
    return listOf(
      [...services.values()]
        .filter(({ isActive }) => isActive)
        .map((row) =>
          view.of(ctx, row, {
            staff: workers.filter((one) => one.row.serviceIds.includes(row.id)).map(({ row: { id, name } }) => ({ id, name })),
          }),
        ),
    );
  },
);

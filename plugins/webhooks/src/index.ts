import { definePlugin, everyPublicEvent, migrations, on, peopleErase, peopleExport, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { events } from './catalogue.ts';
import { attempt, retry } from './delivery.ts';
import { dispatch } from './dispatch.ts';
import { endpoint, rotate } from './endpoint.ts';
import { endpointEvents } from './events.ts';
import { overdue, tidy } from './jobs.ts';
import { erasePerson, exportPerson } from './people.ts';
import { fanOut, wants } from './queue.ts';
import { queued } from './queued.ts';

export default definePlugin({
  name: 'webhooks',
  tables: [attempt],
  migrations: migrations(import.meta.url, ['0001_webhooks.sql', '0002_slow.sql']),
  admin: [endpoint, rotate, retry, events],
  hooks(h) {
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits: Object.values(endpointEvents),
    on: [on(everyPublicEvent, fanOut)],
    wants,
  },
  jobs: { ...work(queued.dispatch, dispatch), tidy, overdue },
  errors: { endpoint_disabled: { status: 409, title: 'Webhook disabled' } },
  locales: { ro, en },
});

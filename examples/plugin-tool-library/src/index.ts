import { definePlugin, migrations, on, peopleExport } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { loanEvents } from './events.ts';
import { loan } from './loan.ts';
import { confirm } from './mail.ts';
import { exportPerson } from './people.ts';
import { remind } from './remind.ts';
import { settings } from './settings.ts';
import { toolLibraryStats } from './stats.ts';
import { reserveTool, tools } from './storefront.ts';
import { tool } from './tool.ts';

export default definePlugin({
  name: 'tool-library',
  settings,
  migrations: migrations(import.meta.url, ['0001_tools.sql']),
  admin: [tool, loan],
  storefront: [tools, reserveTool],
  hooks(h) {
    h.on(peopleExport, exportPerson);
  },
  events: {
    emits: Object.values(loanEvents),
    on: [on(loanEvents.created, confirm)],
  },
  jobs: { remind },
  stats: { 'tool-library': toolLibraryStats },
  errors: {
    tool_taken: { status: 409, title: 'Tool unavailable', help: 'Choose another tool, or try again after its return.' },
    loan_limit: { status: 409, title: 'Loan limit reached', help: 'Return a tool or cancel a reservation.' },
  },
  locales: { ro, en },
});

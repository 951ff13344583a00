import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `tool-library.loan`. */
export const loanEvents = entityEvents('tool-library.loan', {
  created: {
    public: true,
    title: 'A tool was reserved',
    data: { id: f.id(), toolId: f.id(), dueOn: f.date() },
  },
});

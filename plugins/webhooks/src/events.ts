import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `webhooks.endpoint`. */
export const endpointEvents = entityEvents('webhooks.endpoint', {
  disabled: {
    public: true,
    title: 'A webhook was switched off because its receiver is gone or failed for days',
    data: { id: f.id(), reason: f.oneOf(['gone', 'failing']) },
  },
});

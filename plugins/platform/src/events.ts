import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `platform.theme`. */
export const themeEvents = entityEvents('platform.theme', {
  activated: {
    public: true,
    title: 'The shop shows another theme',
    data: { theme: f.text(), version: f.text().optional() },
  },
});

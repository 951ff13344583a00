import { f } from '@storeloom/plugin-sdk';

/** Each shop writes its own at `PUT /api/admin/plugins/example-hello/settings`. A shop begins without any, so there is a default. */
export const settings = {
  message: f.text({ max: 200 }).translatable().default({ ro: 'Bun venit!', en: 'Welcome!' }),
};

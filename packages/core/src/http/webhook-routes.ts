import { f, type Route } from '@storeloom/plugin-sdk';
import type { Contributions } from '../plugins/contributions.ts';
import type { MountedRoute } from './routes.ts';

/** Routes of provider notifications. The pipeline passes their raw bytes to `inbound/receive.ts`; the handler is never called. */
export function webhookRoutes(contributions: Contributions): MountedRoute[] {
  return contributions.inbound.flatMap(({ plugin, path, methods, inbound }) =>
    methods.map((method): MountedRoute => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
      const route: Route = {
        method,
        path,
        options: {
          summary: `Notification of ${inbound.provider}`,
          params: Object.fromEntries(names.map((name) => [name, f.text({ max: 100 })])),
          problems: ['signature_invalid', 'provider_not_configured'],
        },
        handler: () => undefined,
      };
      return { family: 'webhooks', plugin, route, path };
    }),
  );
}

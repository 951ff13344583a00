import { type Ctx, eventLog, f, invalid, listOf, route } from '@storeloom/plugin-sdk';
import { bodyOf, maxBody } from './payload.ts';

/** What a subscription may ask for: an event, all below a stem (`orders.*`, `orders.order.*`), or everything. */
export const patternField = f.text({
  max: 120,
  pattern: /^(?:\*|[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+){1,4}|[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+){0,3}\.\*)$/,
});

export function matches(pattern: string, type: string): boolean {
  return pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));
}

/** Public events of the plugins that are on for the shop. */
function catalogue(ctx: Ctx) {
  return ctx
    .require(eventLog)
    .all()
    .filter((event) => event.public && ctx.isOn(event.plugin));
}

/** 422 with the pointer of each pattern that no event fits. */
export function checkPatterns(ctx: Ctx, patterns: readonly string[]): void {
  const known = catalogue(ctx);
  for (const [i, pattern] of patterns.entries())
    if (!known.some(({ type }) => matches(pattern, type)))
      throw invalid(
        `/events/${i}`,
        'unknown_event',
        `${pattern} is not an event; GET /api/admin/webhooks/events lists all events`,
      );
}

export const events = route(
  'GET',
  '/webhooks/events',
  {
    permission: 'webhooks.endpoint.read',
    summary: 'The events that a webhook may subscribe to',
    response: {
      type: f.text({ max: 120 }),
      plugin: f.text(),
      title: f.text().optional(),
      /** The body of a delivery, made up by the fields of the event. */
      sample: f.json({ max: maxBody }).describe('The body as it is sent, with made-up values.'),
    },
    list: true,
    additive: true,
  },
  async (ctx) =>
    listOf(
      catalogue(ctx).map(({ type, plugin, title, sample: data }) => {
        const aggregate = typeof data.id === 'string' ? data.id : ctx.tenant.id;
        const body = bodyOf({ type, at: ctx.clock.now(), aggregate, sequence: 1, data });
        return { type, plugin, title, sample: JSON.parse(body) as Record<string, unknown> };
      }),
    ),
);

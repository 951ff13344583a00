import type { EventType } from '@storeloom/plugin-sdk';
import type { Components } from './components.ts';
import { exampleOf } from './example.ts';
import type { JsonSchema } from './json-schema.ts';
import { pascal } from './naming.ts';

type Event = EventType & { readonly type: string; readonly plugin: string };

const header = (name: string, description: string, example: string): Record<string, unknown> => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});
/** Headers of Standard Webhooks. */
const parameters = [
  header('webhook-id', 'Identifies the delivery; the same for each attempt.', 'msg_0190a7c46b5e7c3a9f215d8e4b7a1c02'),
  header('webhook-timestamp', 'Seconds since 1970 of this attempt.', '1795810332'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `{id}.{timestamp}.{body}`; several are separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** Describes the public events as requests that receivers get, by type (OpenAPI 3.1, `webhooks`). */
export function webhooksOf(events: Iterable<Event>, components: Components, taken: Set<string>): Record<string, unknown> {
  const isPublic = [...events].filter((event) => event.public).sort((a, b) => (a.type < b.type ? -1 : 1));
  return Object.fromEntries(
    isPublic.map((event) => {
      const operationId = `webhook${pascal(event.type)}`;
      if (taken.has(operationId)) throw new Error(`two operations are called ${operationId}`);
      taken.add(operationId);
      const operation = {
        operationId,
        tags: [event.plugin],
        summary: event.title ?? event.type,
        description: 'Sent to each endpoint that subscribes to the event, at least once, until it answers with 2xx.',
        parameters,
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema: bodyOf(event, components) } } },
        responses: {
          '2XX': { description: 'Received. Any other status is tried again later.' },
          '410': { description: 'The endpoint is gone: it is disabled.' },
        },
        'x-plugin': event.plugin,
      };
      return [event.type, { post: operation }];
    }),
  );
}

function bodyOf({ type, data }: Event, components: Components): JsonSchema {
  const place: Record<string, JsonSchema> = {
    aggregateId: { type: 'string', description: 'The object that the event is about.' },
    sequence: { type: 'integer', minimum: 1, description: 'Orders the events of one `aggregateId`.' },
    omitted: { type: 'array', items: { type: 'string' }, description: 'Properties left out of a body above 20 kB.' },
  };
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time' },
      data: {
        allOf: [
          components.schema(`${pascal(type)}Event`, data, 'answer', 'every-language'),
          { type: 'object', properties: place, required: ['aggregateId', 'sequence'] },
        ],
      },
    },
    required: ['type', 'timestamp', 'data'],
  };
  const example = exampleOf(schema, components.resolve);
  return example === undefined ? schema : { ...schema, examples: [example] };
}

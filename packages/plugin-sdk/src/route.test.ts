import { Readable } from 'node:stream';
import { describe, it } from 'vitest';
import { f } from './field.ts';
import { created, file, listOf, noContent, reply } from './reply.ts';
import { route } from './route.ts';

const line = { sku: f.text(), price: f.money() };
const order = { id: f.id(), note: f.text().optional(), title: f.i18n(), lines: f.list(f.object(line)) };
const lines = [{ sku: 'lamp', price: { amount: 5, currency: 'RON' } }];
const body = { id: '1', note: null, title: { ro: 'Lampă' }, lines };

// The compiler checks these handlers; they are never called.
describe('the result of a handler', () => {
  it('is the declared response, a page of it, or a reply with it', () => {
    route('GET', '/a', { response: order }, () => body);
    route('GET', '/a', { response: order }, async () => ({ ...body, note: undefined, title: 'Lampă' }));
    route('POST', '/a', { response: order, status: 201 }, async () => created('/a/1', body));
    route('GET', '/a', { response: order, list: true }, async () => listOf([body]));
    route('GET', '/a', { response: order, list: true }, () => ({ ...listOf([body]), warnings: [{ code: 'a', message: 'b' }] }));
    route('POST', '/a', { response: order, otherResponses: { 202: { jobId: f.id() } } }, () =>
      body.id === '1' ? body : reply(202, { jobId: '2' }),
    );
  });

  it('can be a file, a stream, nothing, or the response of another plugin’s route', () => {
    route('GET', '/a', { produces: 'text/csv' }, () => file(Readable.from([]), { type: 'text/csv' }));
    route('GET', '/a', { response: order, produces: 'text/csv' }, () =>
      body.id === '1' ? body : file('', { type: 'text/csv' }),
    );
    route('DELETE', '/a', { status: 204 }, async () => noContent());
    route('GET', '/a', { sameAs: { response: 'GET /api/admin/orders/{id}' } }, async () => ({ anything: 1 }));
  });

  it('does not compile with a missing property, a wrong type, or a property that is not declared', () => {
    const { id: _, ...withoutId } = body;
    // @ts-expect-error: `id` is missing
    route('GET', '/a', { response: order }, () => withoutId);
    // @ts-expect-error: `id` is a number
    route('GET', '/a', { response: order }, async () => ({ ...body, id: 1 }));
    // @ts-expect-error: `id` can be null
    route('GET', '/a', { response: order }, async () => ({ ...body, id: null as string | null }));
    // @ts-expect-error: `margin` isn't declared
    route('GET', '/a', { response: order }, async () => ({ ...body, margin: 5 }));
    // @ts-expect-error: `lines.margin` isn't declared
    route('GET', '/a', { response: order }, () => ({ ...body, lines: [{ ...lines[0]!, margin: 5 }] }));
    // @ts-expect-error: `margin` isn't declared
    route('POST', '/a', { response: order }, async () => created('/a/1', { ...body, margin: 5 }));
    // @ts-expect-error: `margin` of a row isn't declared
    route('GET', '/a', { response: order, list: true }, async () => listOf([{ ...body, margin: 5 }]));
    // @ts-expect-error: a page is declared
    route('GET', '/a', { response: order, list: true }, async () => body);
    // @ts-expect-error: no response is declared
    route('GET', '/a', {}, async () => body);
    // @ts-expect-error: nothing is known of the properties
    route('GET', '/a', { response: order }, async () => body as Record<string, unknown>);
  });
});

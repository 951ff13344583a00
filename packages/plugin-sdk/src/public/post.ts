import type { Ctx } from '../context.ts';
import { type CreateOf, f, type RowOf, type Shape } from '../field.ts';
import { domainError, invalid } from '../problem.ts';
import { Reply } from '../reply.ts';
import { type Req, type Route, type RouteOptions, route } from '../route.ts';
import { choice } from '../schema/schema-like.ts';
import type { BaseRow, Table } from '../table.ts';
import { consents } from './consents.ts';
import { findByManageToken } from './manage.ts';

type PublicReq = Req<Record<string, string>, Record<string, never>, unknown>;
type Answer = Record<string, unknown>;

/** How a guest changes what they created, at the same route. */
export interface ManageOptions<T extends Shape, F extends Shape> {
  /** Table with the hash of `issueManageToken`. */
  table: Table<T>;
  /** Further fields of the body, `{ startsAt: f.instant().optional() }`. */
  fields?: F;
  /** Handlers by the body's `action`. The rows of the token are locked; there is at least one. */
  actions: Readonly<Record<string, (ctx: Ctx, rows: (RowOf<T> & BaseRow)[], input: CreateOf<F>) => Promise<Answer>>>;
}
/** Options of `publicPost`. */
export interface PublicPostOptions<B extends Shape, T extends Shape, F extends Shape>
  extends Pick<RouteOptions, 'summary' | 'problems' | 'entity' | 'additive' | 'mirror' | 'params' | 'auth'> {
  /** Fields of the body, without `website`, `consent` and `consentVersion`, which are added. */
  body: B;
  /** Fields of the response. */
  response: Shape;
  /** Default 201. */
  status?: 200 | 201 | 202;
  /** Purpose of the consent, `booking`: `consent: true` is required and recorded. False: the body has no personal data. */
  consent: string | false;
  /** Default 10 a minute and 60 an hour for each visitor, ten times as many for each network. */
  rateLimit?: RouteOptions['rateLimit'];
  /** Lets a guest change what they created. */
  manage?: ManageOptions<T, F>;
}

const guarded: Shape = {
  website: f.text({ min: 0 }).optional().example(null).describe('Honeypot: hidden from people. Leave it empty.'),
};
const agreed: Shape = {
  consent: f.bool().describe('Must be true.'),
  consentVersion: f.text({ max: 60 }).optional().describe('Version of the consent text.'),
};

/**
 * Returns a storefront POST route for anonymous callers, with a honeypot, rate limits, `Idempotency-Key`, and
 * the consent recorded in the customers' log (subject: the signed-in customer, otherwise `reference` or `id` of the response).
 * The handler's result must not reveal whether an address was known. With `manage`, a body with `action` (and `manageToken`, or
 * the header X-Manage-Token) changes the rows of the token instead, and is answered with 200 and the same properties.
 *
 * @throws Problem 422 `consent_required`, 422 `validation_failed` for a filled honeypot, 429 `rate_limited`, 404 `not_found` for
 * an unknown token
 */
export function publicPost<
  const B extends Shape,
  T extends Shape = Record<never, never>,
  const F extends Shape = Record<never, never>,
>(
  path: string,
  options: PublicPostOptions<B, T, F>,
  handler: (ctx: Ctx, body: CreateOf<B>, req: PublicReq) => Promise<Answer | Reply<Answer>> | Answer | Reply<Answer>,
): Route {
  const { body, consent, manage, status = 201, problems = [], rateLimit, ...more } = options;
  const create: Shape = { ...body, ...(consent === false ? {} : agreed), ...guarded };
  if (manage && 'action' in body) throw new Error(`${path}: the property action is reserved for manage tokens`);
  const change: Shape | undefined = manage && {
    manageToken: f.text().optional(),
    action: f.oneOf(Object.keys(manage.actions)),
    ...manage.fields,
  };
  const isChange = (given: Readonly<Record<string, unknown>>): boolean => 'action' in given || 'manageToken' in given;
  return route(
    'POST',
    path,
    {
      ...more,
      body: change ? choice(create, change, isChange) : create,
      status,
      ...(manage ? { otherResponses: { 200: options.response } } : {}),
      rateLimit: rateLimit ?? [
        { points: 10, seconds: 60, by: 'visitor' },
        { points: 60, seconds: 3600, by: 'visitor' },
        // Many visitors share a network: an office, a mobile provider.
        { points: 100, seconds: 60 },
        { points: 600, seconds: 3600 },
      ],
      problems: [...problems, ...(consent === false ? [] : ['consent_required']), ...(manage ? ['not_found'] : [])],
    },
    async (ctx, req) => {
      const given = req.body as Record<string, unknown>;
      if (manage && 'action' in given) {
        const { manageToken, action, ...input } = given;
        const rows = await findByManageToken(ctx, manage.table, (manageToken as string | null) ?? ctx.tokens.manage);
        const act = manage.actions[action as string] as NonNullable<(typeof manage.actions)[string]>;
        return whole(options.response, await act(ctx, rows, input as CreateOf<F>));
      }
      const { website, consent: granted, consentVersion, ...input } = given;
      if (website !== null && website !== '') throw invalid('/website', 'invalid', 'must be empty');
      if (consent !== false && granted !== true) throw domainError('/consent', 'consent_required', 'this consent is required');
      const made = await handler(ctx, input as CreateOf<B>, req as PublicReq);
      const reply = made instanceof Reply ? made : new Reply(status, made);
      if (consent !== false) await keepConsent(ctx, consent, consentVersion as string | null, reply.body);
      return reply;
    },
  );
}

/** Fills missing properties with null: those that only the create response has (the token). */
function whole(response: Shape, answer: Answer): Answer {
  return { ...Object.fromEntries(Object.keys(response).map((member) => [member, null])), ...answer };
}

async function keepConsent(ctx: Ctx, purpose: string, version: string | null, answer: Answer): Promise<void> {
  const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : undefined;
  const subject = customerId ?? answer.reference ?? answer.id;
  if (typeof subject !== 'string')
    throw new Error(`the consent to ${purpose} has no subject: the response needs a reference or an id`);
  await ctx.require(consents).recordConsent({
    purpose,
    granted: true,
    ...(version === null ? {} : { textVersion: version }),
    subject,
    ...(customerId === undefined ? {} : { customerId }),
    ip: ctx.ip,
    source: ctx.plugin,
  });
}

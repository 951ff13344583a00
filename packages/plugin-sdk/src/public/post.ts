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

/** How a guest changes what they made, at the route that made it. */
export interface ManageOptions<T extends Shape, F extends Shape> {
  /** Where `issueManageToken` put the hash. */
  table: Table<T>;
  /** Further members of the body, `{ startsAt: f.instant().optional() }`. */
  fields?: F;
  /** By the body's `action`. The rows of the token are locked, and at least one. */
  actions: Readonly<Record<string, (ctx: Ctx, rows: (RowOf<T> & BaseRow)[], wish: CreateOf<F>) => Promise<Answer>>>;
}
export interface PublicPostOptions<B extends Shape, T extends Shape, F extends Shape>
  extends Pick<RouteOptions, 'summary' | 'problems' | 'entity' | 'additive' | 'params' | 'auth'> {
  /** Without `website`, `consent` and `consentVersion`: those are added. */
  body: B;
  response: Shape;
  /** Default 201. */
  status?: 200 | 201 | 202;
  /** What is agreed to, `booking`: `consent: true` is required then, and kept. False: nothing of a person is asked for. */
  consent: string | false;
  /** Default 10 in a minute and 60 in an hour for a network of callers. */
  rateLimit?: RouteOptions['rateLimit'];
  manage?: ManageOptions<T, F>;
}

const guarded: Shape = {
  website: f.text({ min: 0 }).optional().describe('Leave it empty: people do not see it, and whoever fills it in is none.'),
};
const agreed: Shape = {
  consent: f.bool().describe('Must be true.'),
  consentVersion: f.text({ max: 60 }).optional().describe('Version of the text that was agreed to.'),
};

/**
 * A POST of the storefront that strangers may call: a honeypot, a limit a network, `Idempotency-Key`, and the consent in the customers'
 * log (subject: the signed-in customer, else `reference` or `id` of the answer). What the handler gives back is answered with `status`;
 * it must not tell whether an address was known. With `manage`, a body with `action` (and `manageToken`, or the header X-Manage-Token)
 * changes what the token belongs to instead, and is answered with 200 and the same members; an unknown token is 404.
 *
 * @throws Problem 422 `consent_required`, 422 `validation_failed` for a filled honeypot, 429 `rate_limited`
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
  if (manage && 'action' in body) throw new Error(`${path}: the member action says what a manage token is used for`);
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
      rateLimit: rateLimit ?? [
        { points: 10, seconds: 60 },
        { points: 60, seconds: 3600 },
      ],
      problems: [...problems, ...(consent === false ? [] : ['consent_required']), ...(manage ? ['not_found'] : [])],
    },
    async (ctx, req) => {
      const given = req.body as Record<string, unknown>;
      if (manage && 'action' in given) {
        const { manageToken, action, ...wish } = given;
        const rows = await findByManageToken(ctx, manage.table, (manageToken as string | null) ?? ctx.tokens.manage);
        const act = manage.actions[action as string] as NonNullable<(typeof manage.actions)[string]>;
        return whole(options.response, await act(ctx, rows, wish as CreateOf<F>));
      }
      const { website, consent: granted, consentVersion, ...wish } = given;
      if (website !== null && website !== '') throw invalid('/website', 'invalid', 'must be empty');
      if (consent !== false && granted !== true)
        throw domainError('/consent', 'consent_required', 'it cannot be done without this consent');
      const made = await handler(ctx, wish as CreateOf<B>, req as PublicReq);
      const reply = made instanceof Reply ? made : new Reply(status, made);
      if (consent !== false) await keepConsent(ctx, consent, consentVersion as string | null, reply.body);
      return reply;
    },
  );
}

/** Every member of the answer is there; what only the creation shows (the token) is null. */
function whole(response: Shape, answer: Answer): Answer {
  return { ...Object.fromEntries(Object.keys(response).map((member) => [member, null])), ...answer };
}

async function keepConsent(ctx: Ctx, purpose: string, version: string | null, answer: Answer): Promise<void> {
  const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : undefined;
  const subject = customerId ?? answer.reference ?? answer.id;
  if (typeof subject !== 'string')
    throw new Error(`the consent to ${purpose} has no subject: the answer needs a reference or an id`);
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

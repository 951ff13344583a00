import {
  type Ctx,
  f,
  invalid,
  notFound,
  problem,
  type RowOf,
  requirePermission,
  route,
  sql,
  staffUserId,
  table,
} from '@storeloom/plugin-sdk';
import { ticket } from './ticket.ts';
import { ticketType } from './ticket-type.ts';
import { type PastScan, type Refusal, verdictOf } from './verdict.ts';

export const checkIn = table(
  'check-in',
  {
    ticketId: f.id(),
    type: f.oneOf(['entry', 'exit']),
    at: f.instant(),
    nonce: f.text({ max: 100 }).private(),
    gate: f.text({ max: 60 }).optional().private(),
    deviceId: f.text({ max: 100 }).optional().private(),
    /** `ok`, or the code of the refusal. */
    result: f.text({ max: 40 }),
    /** Admitted although it would have been refused. */
    forced: f.bool(),
    byUser: f.id().optional(),
  },
  {
    uniques: [{ name: 'events_check_in_nonce_key', fields: ['ticketId', 'nonce'], where: "result = 'ok'" }],
    indexes: [{ name: 'events_check_in_ticket_idx', fields: ['ticketId', 'createdAt', 'id'] }],
    appendOnly: true,
  },
);

const scanBody = {
  type: f.oneOf(['entry', 'exit']).default('entry'),
  /** Unique per scan; a repeated one is a retry. */
  nonce: f.text({ max: 100 }),
  /** Event of the door: tickets of other events are refused. */
  eventId: f.id().optional(),
  gate: f.text({ max: 60 }).optional(),
  deviceId: f.text({ max: 100 }).optional(),
  /** Time of a scan made offline; default now. */
  at: f.instant().optional(),
  force: f.bool().default(false),
};
type ScanBody = RowOf<typeof scanBody>;

const answer = {
  result: f.oneOf(['ok']),
  type: f.oneOf(['entry', 'exit']),
  at: f.instant(),
  forced: f.bool(),
  event: f.object({ id: f.id(), title: f.text() }),
  ticket: f.object({ id: f.id(), status: f.text(), attendeeName: f.text().optional(), ticketType: f.text() }),
};

const details: Record<Refusal, string> = {
  wrong_event: 'The ticket is for another event.',
  canceled: 'The ticket was cancelled or refunded, or was not paid in time.',
  revoked: 'The ticket was transferred; only the new ticket is valid.',
  unpaid: 'The ticket is not paid.',
  invalid_time: 'The ticket is not valid at this time.',
  already_redeemed: 'The ticket was already used for entry.',
};

interface DoorEvent {
  id: string;
  title: string;
  status: string;
  reentry: boolean;
  startsAt: string;
  endsAt: string;
  doorsAt: string | null;
}
/** Without a time for the doors, entry begins this many hours before the event. */
const earlyHours = 12;
const hoursBefore = (at: string, hours: number): string => new Date(Date.parse(at) - hours * 3_600_000).toISOString();

type Outcome = { body: RowOf<typeof answer> } | { refusal: Refusal; extra: Record<string, unknown> };

/** Refused scans are logged too, so the problem is thrown after the commit. */
export const scanTicket = route(
  'POST',
  '/events/{code}/check-in',
  {
    summary: 'Checks a ticket in or out',
    permission: 'events.ticket.check-in',
    params: { code: f.text({ max: 100 }) },
    body: scanBody,
    response: answer,
    transaction: 'none',
    entity: 'events.ticket',
    problems: ['wrong_event', 'canceled', 'revoked', 'unpaid', 'invalid_time', 'already_redeemed'],
  },
  async (ctx, req) => {
    if (req.body.force) requirePermission(ctx, 'events.ticket.force');
    const outcome = await ctx.transaction((inner) => scan(inner, req.params.code, req.body));
    if ('refusal' in outcome) {
      const { refusal, extra } = outcome;
      const detail = extra.ticketStatus === 'refunded' ? 'The ticket was refunded.' : details[refusal];
      throw problem(refusal, { detail, ...extra });
    }
    return outcome.body;
  },
);

async function scan(ctx: Ctx, code: string, body: ScanBody): Promise<Outcome> {
  const at = body.at ?? ctx.clock.now();
  // Tolerates scanner clocks that are fast.
  if (Date.parse(at) > ctx.clock.ms() + 300_000) throw invalid('/at', 'future', 'is in the future');
  const known = await ctx.rows(ticket).first({ code }, { lock: true });
  if (!known) throw notFound('No ticket has this code.');
  const row = known;
  const [type, found, past] = await Promise.all([
    ctx.rows(ticketType).require(row.ticketTypeId),
    ctx.db.first<DoorEvent>(
      sql`select id, title, status, reentry, starts_at as "startsAt", ends_at as "endsAt", doors_at as "doorsAt" from events_event where tenant_id = ${ctx.tenant.id} and id = ${row.eventId}`,
    ),
    ctx.db.rows<PastScan>(sql`select type, at, nonce, gate from events_check_in
      where tenant_id = ${ctx.tenant.id} and ticket_id = ${row.id} and result = 'ok' order by at, created_at, id`),
  ]);
  if (!found) throw notFound('The event of the ticket does not exist.');
  const event = { id: found.id, title: found.title };
  const verdict = verdictOf(
    { type: body.type, at, nonce: body.nonce, eventId: body.eventId },
    {
      status: row.status,
      eventId: row.eventId,
      postponed: found.status === 'postponed',
      opensAt: found.doorsAt ?? hoursBefore(found.startsAt, earlyHours),
      closesAt: found.endsAt,
      validFrom: type.validFrom,
      validUntil: type.validUntil,
      reentry: found.reentry,
      past,
    },
  );
  const view = (status: string, when: string, forced: boolean) => ({
    result: 'ok' as const,
    type: body.type,
    at: when,
    forced,
    event,
    ticket: { id: row.id, status, attendeeName: row.attendeeName, ticketType: type.name },
  });
  if (verdict.result === 'repeat') return { body: view(row.status, verdict.first.at, false) };
  const refusal = verdict.result === 'ok' ? undefined : verdict.result;
  // Another event's ticket stays unused: the staff of this door don't decide about it.
  const forced = refusal !== undefined && refusal !== 'wrong_event' && body.force;
  const passed = refusal === undefined || forced;
  await ctx.rows(checkIn).insert({
    ticketId: row.id,
    type: body.type,
    at,
    nonce: body.nonce,
    gate: body.gate,
    deviceId: body.deviceId,
    result: passed ? 'ok' : (refusal as string),
    forced,
    byUser: staffUserId(ctx),
  });
  if (!passed) {
    const { result, ...extra } = verdict as { result: Refusal };
    return { refusal: result, extra: { ...extra, event, ticketType: type.name, attendeeName: row.attendeeName } };
  }
  let { status } = row;
  if (body.type === 'entry' && row.status === 'valid') {
    ({ status } = await ticket.move(ctx, row.id, 'checkIn'));
    await ctx.rows(ticket).update(row.id, { checkedInAt: at });
  }
  await ctx.audit({
    entity: 'events.ticket',
    entityId: row.id,
    action: 'events.ticket.check-in',
    extra: { type: body.type, at, gate: body.gate, forced },
  });
  return { body: view(status, at, forced) };
}

import type { Ctx } from '../context.ts';
import { type BusyTime, calendarBusy } from '../kernel/calendar.ts';

/** A person whose time is planned: a staff user, an e-mail address, or both. */
export interface CalendarPerson {
  /** Id of the staff user. */
  readonly userId?: string | null;
  /** E-mail address, in any case. */
  readonly email?: string | null;
}

/**
 * Returns when other plugins have booked these people within `[from, to)` (instants): one list for each, in the order of
 * `people`, sorted by start. Times of the calling plugin are left out. Reads without locks: another plugin can book the time
 * meanwhile.
 */
export async function findBusyTimes(
  ctx: Ctx,
  { from, to, people }: { from: string; to: string; people: readonly CalendarPerson[] },
): Promise<Pick<BusyTime, 'start' | 'end' | 'kind'>[][]> {
  const named = people.map(({ userId, email }) => ({
    ...(userId ? { userId } : {}),
    ...(email ? { email: email.toLowerCase() } : {}),
  }));
  const asked = named.filter(({ userId, email }) => userId !== undefined || email !== undefined);
  const busy = asked.length === 0 ? [] : await ctx.call(calendarBusy, { from, to, people: asked, by: ctx.plugin });
  const others = busy.filter(({ kind, start, end }) => !kind.startsWith(`${ctx.plugin}.`) && start < to && end > from);
  return named.map((person) =>
    others
      .filter((time) => isSame(person, time))
      .map(({ start, end, kind }) => ({ start, end, kind }))
      .sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0)),
  );
}

/** Compares by user if both have one, otherwise by e-mail address. */
function isSame(person: { userId?: string; email?: string }, time: BusyTime): boolean {
  if (person.userId !== undefined && time.userId !== undefined) return person.userId === time.userId;
  return person.email !== undefined && person.email === time.email?.toLowerCase();
}

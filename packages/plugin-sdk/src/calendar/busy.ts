import type { Ctx } from '../context.ts';
import { type BusyTime, calendarBusy } from '../kernel/calendar.ts';

/** Somebody who is planned: the user of the administration that they are, or their address, or both. */
export interface CalendarPerson {
  readonly userId?: string | null;
  readonly email?: string | null;
}

/**
 * When other plugins have taken these people, within `[from, to)` (instants): a list for each, in the order of `people`, by start. What the
 * asking plugin itself answers is left out. Advice, without a lock: nothing keeps another plugin from booking the time meanwhile.
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

/** By user where both are known by one, else by address. */
function isSame(person: { userId?: string; email?: string }, time: BusyTime): boolean {
  if (person.userId !== undefined && time.userId !== undefined) return person.userId === time.userId;
  return person.email !== undefined && person.email === time.email?.toLowerCase();
}

import { collect } from '../token.ts';

/** A half-open range in which a person is busy, without the reason. */
export interface BusyTime {
  /** Staff user, if the plugin knows it. */
  userId?: string;
  /** E-mail address in lower case, if the plugin knows it. */
  email?: string;
  /** Instant. */
  start: string;
  /** Instant. */
  end: string;
  /** `<plugin>.<resource>` that occupies the time. */
  kind: string;
}

/**
 * Hook that collects when people are busy within `[from, to)`, from every plugin that books them. People are given by user,
 * otherwise by e-mail address. Reads without locks; a tap that fails is skipped. Call it through `findBusyTimes` of `/calendar`.
 */
export const calendarBusy = collect<
  {
    from: string;
    to: string;
    people: { userId?: string; email?: string }[];
    /** The plugin that asks, which knows its own times: it answers itself with nothing. */
    by?: string;
  },
  BusyTime
>('kernel:calendar.busy', { policy: 'skip' });

import { collect } from '../token.ts';

/** A time at which somebody is taken, half-open and without a reason. */
export interface BusyTime {
  /** Of the two, what the plugin knows of the person; the e-mail address in lower case. */
  userId?: string;
  email?: string;
  /** Instants. */
  start: string;
  end: string;
  /** `<plugin>.<resource>` of what takes the time. */
  kind: string;
}

/**
 * When people are taken, asked of every plugin that books them, for times that overlap `[from, to)`. People are named by user, else by
 * e-mail address. The answer is advice: it is read without a lock, and a plugin that fails to answer is left out.
 * `findBusyTimes` of `/calendar` asks, and knows whose is whose.
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

import type { Ctx } from '../context.ts';
import { mailer } from '../kernel/mailer.ts';
import { type CalendarEvent, calendarAttachment } from './calendar.ts';

/** An e-mail about an entry in its recipient's calendar: a reservation, an appointment, an event. */
export interface EntryMail {
  /** Recipient. */
  readonly to: { readonly email: string; readonly name: string };
  /** `<plugin>.<name>`, as in `Mail`. */
  readonly template: string;
  /** Locale of the e-mail. */
  readonly locale: string;
  /** Values of the placeholders, besides `shop` and `name`. */
  readonly data: Record<string, unknown>;
  /** Adds or updates (`request`) or removes (`cancel`) the entry; null leaves the calendar as it is. */
  readonly calendar: 'request' | 'cancel' | null;
  /** The entry. */
  readonly entry: CalendarEvent;
  /** Idempotency key: one e-mail is sent for each. */
  readonly key: string;
}

/** Queues an e-mail with its calendar entry, in the caller's transaction. */
export function mailEntry(ctx: Ctx, { to, template, locale, data, calendar, entry, key }: EntryMail): Promise<void> {
  return ctx.require(mailer).send({
    to: to.email,
    template,
    locale,
    data: { shop: ctx.tenant.name, name: to.name, ...data },
    ...(calendar ? { attachments: [calendarAttachment(ctx, calendar, entry, to)] } : {}),
    key,
  });
}

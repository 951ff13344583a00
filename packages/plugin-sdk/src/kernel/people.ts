import type { Ctx } from '../context.ts';
import { collect, series, service } from '../token.ts';

/** A person, identified by any of these. */
export interface Person {
  /** Id of the customer. */
  customerId?: string;
  /** Id of the staff user. */
  userId?: string;
  /** E-mail addresses in lower case. */
  emails: string[];
  /** Phone numbers in E.164. */
  phones: string[];
}

/** Rows of one resource about a person, and their documents. */
export interface PersonExport {
  /** `<plugin>.<resource>`. */
  resource: string;
  /** Rows in the shape of the API. */
  rows: Record<string, unknown>[];
  /** Documents; opened inside the transaction, if files are requested. */
  files?: { name: string; open(): Promise<Buffer> }[];
}
/** Hook that collects personal data for an export (GDPR art. 15 and 20). */
export const peopleExport = collect<Person, PersonExport>('kernel:people.export', {
  deadline: 60_000,
});

/**
 * Hook that erases personal data (GDPR art. 17). Taps must be safe to repeat, and report each resource: `erased` rows, and rows
 * `kept` for a legal `reason` `until` a date.
 */
export const peopleErase = series<
  Person & { report(entry: { resource: string; erased: number; kept?: { count: number; reason: string; until: string } }): void }
>('kernel:people.erase', { deadline: 60_000 });

/** A person, and texts that identify them. */
export interface PersonTraces extends Person {
  /** Names, streets, companies: erased if one is the whole of a text. */
  texts: string[];
  /** Reports how many rows of a resource were erased. */
  report(entry: { resource: string; erased: number }): void;
}

/**
 * Exports and erases what the kernel stores about a person: e-mails, events, notifications of providers. For foundation plugins.
 */
export interface PersonalData {
  /** Returns the rows about a person. */
  export(ctx: Ctx, person: Person): Promise<PersonExport[]>;
  /** Erases the rows about a person. Safe to repeat. */
  erase(ctx: Ctx, traces: PersonTraces): Promise<void>;
}
/** Service token of `PersonalData`. */
export const personalData = service<PersonalData>('kernel:personal-data');

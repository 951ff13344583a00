import type { Ctx } from '../context.ts';
import { collect, series, service } from '../token.ts';

/** Whose data is meant: any of these names the person. */
export interface Person {
  customerId?: string;
  userId?: string;
  emails: string[];
  phones: string[];
}

/** Rows of one resource on a person, and the documents that belong to them. */
export interface PersonExport {
  resource: string;
  rows: Record<string, unknown>[];
  /** Opened inside the transaction, where files are wanted. */
  files?: { name: string; open(): Promise<Buffer> }[];
}
export const peopleExport = collect<Person, PersonExport>('kernel:people.export', {
  deadline: 60_000,
});

/** Safe to repeat. Each tap reports what it erased through `report`. */
export const peopleErase = series<
  Person & { report(entry: { resource: string; erased: number; kept?: { count: number; reason: string; until: string } }): void }
>('kernel:people.erase', { deadline: 60_000 });

/** A person and all by which their traces are known. */
export interface PersonTraces extends Person {
  /** Names, streets, companies: erased where one is the whole of a text. */
  texts: string[];
  report(entry: { resource: string; erased: number }): void;
}

/** For foundation plugins: what the kernel itself keeps on a person, in mails, events and notifications of providers. */
export interface PersonalData {
  export(ctx: Ctx, person: Person): Promise<PersonExport[]>;
  /** Safe to repeat. */
  erase(ctx: Ctx, traces: PersonTraces): Promise<void>;
}
export const personalData = service<PersonalData>('kernel:personal-data');

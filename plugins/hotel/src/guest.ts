import { type BaseRow, type CreateOf, type Ctx, f, problem, type RowOf, resource, type Shape, sql } from '@storeloom/plugin-sdk';
import { withKeyLocks } from '@storeloom/plugin-sdk/reserve';

export const guestFields = {
  firstName: f.text({ max: 100 }).search().personal().private(),
  lastName: f.text({ max: 100 }).search().sort().personal().private(),
  email: f.email().optional().unique().search().filter().personal().private(),
  phone: f.phone().optional().search().personal().private(),
  /** ISO 3166-1 alpha-2. */
  nationality: f
    .text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ })
    .optional()
    .personal()
    .private(),
  birthDate: f.date().optional().personal().private(),
  idDocType: f.oneOf(['identity_card', 'passport', 'driving_licence', 'residence_permit']).optional().personal().private(),
  /** Stored encrypted; lists show its last three characters. */
  idDocNumber: f
    .text({ min: 4, max: 40, pattern: /^[A-Za-z0-9 -]+$/ })
    .optional()
    .personal()
    .private(),
  address: f
    .object({
      line1: f.text().optional(),
      city: f.text({ max: 100 }).optional(),
      postalCode: f.text({ max: 20 }).optional(),
      country: f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ }).optional(),
    })
    .optional()
    .personal()
    .private(),
  vip: f.bool().default(false).filter().private(),
  /** Consent to marketing e-mails. */
  consent: f.bool().default(false),
} satisfies Shape;
export type Guest = RowOf<typeof guestFields> & BaseRow;
export type GuestInput = CreateOf<typeof guestFields>;

export const guest = resource('guest', {
  path: 'hotel-guests',
  verbs: ['list', 'create'],
  fields: guestFields,
  indexes: [{ name: 'hotel_guest_created_idx', fields: ['createdAt', 'id'] }],
  sqlOnly: {
    hotel_guest_email_key: 'expression: the e-mail address is compared without regard to case',
    hotel_guest_id_doc_index_key: 'the blind index of the document number is no field',
  },
  present: (ctx, rows, purpose) =>
    rows.map((row) => ({ ...row, idDocNumber: readable(ctx, row.idDocNumber, purpose === 'list') })),
  before: {
    async create(ctx, input) {
      await checkDocument(ctx, input.idDocNumber, null);
      return { idDocNumber: sealed(ctx, input.idDocNumber) };
    },
  },
  after: { create: (ctx, row) => index(ctx, row.id, row.idDocNumber === null ? null : ctx.unseal(row.idDocNumber)) },
});

const sealed = (ctx: Ctx, document: string | null): string | null => (document === null ? null : ctx.seal(document));

/** The decrypted document number, or its last three characters. */
export function readable(ctx: Ctx, stored: string | null, masked: boolean): string | null {
  if (stored === null) return null;
  const document = ctx.unseal(stored);
  return masked ? `••••${document.slice(-3)}` : document;
}

/** Case, spaces and punctuation don't distinguish documents. */
const normal = (document: string): string => document.toUpperCase().replace(/[^A-Z0-9]/g, '');
const indexOf = (ctx: Ctx, document: string): string => ctx.sign('hotel.guest.document', normal(document));

async function checkDocument(ctx: Ctx, document: string | null | undefined, except: string | null): Promise<void> {
  if (!document) return;
  const other = await ctx.db.first(sql`
    select 1 from hotel_guest where tenant_id = ${ctx.tenant.id} and id_doc_index = ${indexOf(ctx, document)} and id is distinct from ${except}::uuid`);
  if (other) throw problem('duplicate', { detail: 'Another guest has this document number.', field: 'idDocNumber' });
}
async function index(ctx: Ctx, id: string, document: string | null | undefined): Promise<void> {
  if (document === undefined) return;
  const value = document === null ? null : indexOf(ctx, document);
  await ctx.db.run(sql`update hotel_guest set id_doc_index = ${value} where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}

/** Locks the addresses and documents, so that two simultaneous first bookings of one person create one guest. */
export function withGuests<T>(
  ctx: Ctx,
  named: readonly { email?: string | null; idDocNumber?: string | null }[],
  fn: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const keys = named.flatMap(({ email, idDocNumber }) => [
    ...(email ? [`guest ${email.toLowerCase()}`] : []),
    ...(idDocNumber ? [`document ${indexOf(ctx, idDocNumber)}`] : []),
  ]);
  return withKeyLocks(ctx, keys, fn);
}

/** Finds the guest by e-mail, unchanged, or creates one. */
export async function guestOfBuyer(
  ctx: Ctx,
  buyer: { firstName: string; lastName: string; email: string; phone: string | null },
) {
  const known = await ctx.db.first<{ id: string }>(
    sql`select id from hotel_guest where tenant_id = ${ctx.tenant.id} and lower(email) = lower(${buyer.email})`,
  );
  if (known) return known.id;
  const { id } = await ctx.rows(guest).insert({ ...buyer, vip: false, consent: false });
  await ctx.audit({ entity: 'hotel.guest', entityId: id, action: 'hotel.guest.create', before: null, after: { id } });
  return id;
}

/** Finds the guest by e-mail or document and fills in what is empty, or creates one. */
export async function findOrCreateGuest(ctx: Ctx, input: GuestInput): Promise<Guest> {
  const found = await ctx.db.first<{ id: string }>(sql`
    select id from hotel_guest where tenant_id = ${ctx.tenant.id} and (lower(email) = lower(${input.email})
      or id_doc_index = ${input.idDocNumber === null ? null : indexOf(ctx, input.idDocNumber)}) order by id limit 1`);
  if (!found) {
    const made = await ctx.rows(guest).insert({ ...input, idDocNumber: sealed(ctx, input.idDocNumber) });
    await index(ctx, made.id, input.idDocNumber);
    await ctx.audit({
      entity: 'hotel.guest',
      entityId: made.id,
      action: 'hotel.guest.create',
      before: null,
      after: { id: made.id },
    });
    return made;
  }
  const known = await ctx.rows(guest).require(found.id, { lock: true });
  const missing = Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== null && known[name as keyof Guest] === null),
  ) as Partial<GuestInput>;
  return Object.keys(missing).length === 0 ? known : changeGuest(ctx, known.id, missing);
}

/** Changes a guest through a reservation. */
export async function changeGuest(ctx: Ctx, id: string, change: Partial<GuestInput>): Promise<Guest> {
  await checkDocument(ctx, change.idDocNumber, id);
  const stored = change.idDocNumber === undefined ? change : { ...change, idDocNumber: sealed(ctx, change.idDocNumber) };
  const row = await ctx.rows(guest).update(id, stored);
  await index(ctx, id, change.idDocNumber);
  await ctx.audit({ entity: 'hotel.guest', entityId: id, action: 'hotel.guest.update', extra: { changed: Object.keys(change) } });
  return row;
}

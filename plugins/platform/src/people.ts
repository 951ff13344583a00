import { type Ctx, type Person, type peopleErase, type peopleExport, sql, type TapFn } from '@storeloom/plugin-sdk';

const resource = 'platform.license';
const addresses = ({ emails }: Person): string[] => emails.map((email) => email.toLowerCase());

/** Licences that the operator's shop has sold to the person; their keys are secrets. Other shops sell none. */
export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person: Person) => {
  const row = await ctx.db.first<{ rows: Record<string, unknown>[] }>(
    sql`select platform_license_people(${addresses(person)}::text[]) as rows`,
  );
  return row && row.rows.length > 0 ? [{ resource, rows: row.rows }] : [];
};

/** A licence that runs is a contract, and its address is where the key is sent; one that has ended forgets whose it was. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const row = await ctx.db.first<{ result: { erased: number; kept: number; until: string | null } }>(
    sql`select platform_license_forget(${addresses(person)}::text[]) as result`,
  );
  const { erased = 0, kept = 0, until = null } = row?.result ?? {};
  if (erased === 0 && kept === 0) return;
  person.report({
    resource,
    erased,
    ...(kept > 0 && until !== null ? { kept: { count: kept, reason: 'licence contract', until: until.slice(0, 10) } } : {}),
  });
};

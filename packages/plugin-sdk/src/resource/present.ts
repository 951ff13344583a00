import type { Ctx } from '../context.ts';
import type { ListQuery } from '../data/list.ts';
import type { Shape } from '../field.ts';
import type { Resource, Row } from './options.ts';

/** Masks secrets, and fields for which the caller lacks the permission. */
function mask<S extends Shape>(ctx: Ctx, resource: Resource<S>, row: Record<string, unknown>): void {
  const masked: string[] = [];
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.spec.sensitive && !ctx.can(field.spec.sensitive)) {
      row[name] = null;
      masked.push(name);
    } else if (field.spec.kind === 'secret' && typeof row[name] === 'string') row[name] = maskSecret(ctx.unseal(row[name]));
  }
  if (masked.length > 0) row.masked = masked;
}

/** Returns a secret for display, `••••1234`; a short one is masked entirely. */
export function maskSecret(secret: string): string {
  return secret.length >= 12 ? `••••${secret.slice(-4)}` : '••••';
}

/** Returns true for a value of `maskSecret`. */
export function isMask(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('••••');
}

export async function present<S extends Shape>(
  ctx: Ctx,
  resource: Resource<S>,
  rows: Row<S>[],
  purpose: 'list' | 'one',
  query?: ListQuery,
): Promise<Row<S>[]> {
  // Its objects have the properties that the response declares: every answer of the tests is compared with them.
  const shown = (resource.options.present ? await resource.options.present(ctx, rows, purpose, query) : rows) as Row<S>[];
  for (const row of shown) {
    mask(ctx, resource, row as Record<string, unknown>);
    if (purpose === 'list')
      for (const [name, field] of Object.entries(resource.fields))
        if (field.spec.hidden) delete (row as Record<string, unknown>)[name];
  }
  return shown;
}

export async function presentOne<S extends Shape>(ctx: Ctx, resource: Resource<S>, row: Row<S>): Promise<Row<S>> {
  const [shown] = await present(ctx, resource, [{ ...row }], 'one');
  return shown as Row<S>;
}

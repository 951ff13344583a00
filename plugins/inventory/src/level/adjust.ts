import {
  type CreateOf,
  type Ctx,
  checkVersion,
  domainError,
  f,
  invalid,
  notFound,
  problem,
  route,
  sql,
} from '@storeloom/plugin-sdk';
import { stockRules } from '../placing/rules.ts';
import { type Level, level } from './level.ts';
import { moveIn, openAt } from './receive.ts';
import { levelFields, levelView } from './view.ts';
import { writeBook } from './write.ts';

const units = { min: 0, max: 100_000_000 };
const body = {
  /** Default: the default warehouse. */
  warehouseId: f.id().optional(),
  delta: f.int({ min: -units.max, max: units.max }).optional(),
  set: f.int(units).optional().example(null),
  /** The onHand that the caller has seen, so that a count can't overwrite a sale. */
  expectedOnHand: f.int(units).optional().example(null),
  reason: f.oneOf(['received', 'damage', 'count', 'correction', 'return']).optional(),
  note: f.text({ max: 1000 }).optional(),
  reference: f.text().optional(),
  safetyStock: f.int(units).optional(),
  reorderPoint: f.int(units).optional(),
};
type Body = CreateOf<typeof body>;

export const adjust = route(
  'POST',
  '/inventory/{variantId}/adjust',
  {
    permission: 'inventory.level.adjust',
    summary: "Change a variant's stock by an amount, or set it to a count",
    body,
    // A null reorderPoint removes it; absent keeps it.
    partial: true,
    response: levelFields,
    problems: ['stock_below_reserved', 'version_conflict'],
  },
  async (ctx, req) => {
    const input = req.body as Partial<Body>;
    checkInput(input, req.ifMatch);
    const variantId = req.params.variantId as string;
    await requireVariant(ctx, variantId);
    const { book, at: warehouseId } = await openAt(ctx, [variantId], input.warehouseId ?? undefined, '/warehouseId');
    const at = book.levelOf(variantId, warehouseId) as Level;
    await checkExpected(ctx, at, input, req.ifMatch);
    const before = { onHand: at.onHand, safetyStock: at.safetyStock, reorderPoint: at.reorderPoint };
    const delta = input.delta ?? (typeof input.set === 'number' ? input.set - at.onHand : 0);
    if (typeof input.safetyStock === 'number') at.safetyStock = input.safetyStock;
    if (input.reorderPoint !== undefined) at.reorderPoint = input.reorderPoint;
    if (delta !== 0) {
      const { reason = null, reference = null, note = null } = input;
      moveIn(book, at, delta, { reason: reason as NonNullable<typeof reason>, reference, note });
    }
    await writeBook(ctx, book);
    // Staff expect the storefront to show the change immediately.
    ctx.dropCache('catalog');
    const after = await levelView(ctx, at.id);
    await ctx.audit({
      entity: 'inventory.level',
      entityId: at.id,
      before,
      after: { onHand: after.onHand, safetyStock: after.safetyStock, reorderPoint: after.reorderPoint },
      extra: { variantId, warehouseId, delta, reason: input.reason ?? null, reference: input.reference ?? null },
    });
    return after;
  },
);

/** Accepts either `delta` or `set`, or neither if a limit changes. */
function checkInput(input: Partial<Body>, ifMatch: number | undefined): void {
  const { delta = null, set = null, reason = null, expectedOnHand = null } = input;
  if (delta !== null && set !== null) throw invalid('/set', 'invalid', "delta and set can't be combined");
  if (delta === 0) throw invalid('/delta', 'invalid', 'must not be 0');
  const moves = delta !== null || set !== null;
  if (!moves && input.safetyStock === undefined && input.reorderPoint === undefined)
    throw invalid('/delta', 'required', 'delta, set, safetyStock or reorderPoint is required');
  if (moves && reason === null) throw invalid('/reason', 'required', 'is required');
  if (set !== null && expectedOnHand === null && ifMatch === undefined)
    throw invalid('/expectedOnHand', 'required', "requires expectedOnHand or If-Match, so that it can't overwrite a sale");
}

async function checkExpected(ctx: Ctx, at: Level, { expectedOnHand }: Partial<Body>, ifMatch: number | undefined): Promise<void> {
  if (typeof expectedOnHand === 'number' && expectedOnHand !== at.onHand)
    throw problem('version_conflict', { detail: `The stock is ${at.onHand}, not ${expectedOnHand}.`, onHand: at.onHand });
  if (ifMatch !== undefined) checkVersion(ifMatch, await ctx.rows(level).require(at.id));
}

/** Accepts variants of the catalogue, and deleted ones that still have a level. */
async function requireVariant(ctx: Ctx, variantId: string): Promise<void> {
  const rule = (await stockRules(ctx, [variantId])).get(variantId);
  if (rule?.components) throw domainError('', 'validation_failed', 'A bundle has no stock of its own: adjust its components.');
  if (rule) return;
  const known = await ctx.db.first(
    sql`select 1 from inventory_level where tenant_id = ${ctx.tenant.id} and variant_id = ${variantId} limit 1`,
  );
  if (!known) throw notFound();
}

import type { Ctx } from '../context.ts';
import { type EventToken, event } from '../event.ts';
import type { CreateOf, PatchOf, Shape } from '../field.ts';
import { Problem } from '../problem.ts';
import { created, noContent } from '../reply.ts';
import { isShape } from '../schema/schema-like.ts';
import type { Machine } from '../state/machine.ts';
import { entityName } from '../table.ts';
import { checkVersion } from '../version.ts';
import { changeEntity, insertEntity, lockEntity, removeEntity, rowOf } from './entities.ts';
import type { AnyReq, CreateOptions, Resource, Row } from './options.ts';
import { isMask, presentOne } from './present.ts';
import { checkNotInUse, checkReferences } from './references.ts';

function stored<S extends Shape>(resource: Resource<S>, values: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const spec = resource.fields[name]?.spec;
    if (spec && !spec.virtual && !(spec.kind === 'secret' && isMask(value))) kept[name] = value;
  }
  return kept;
}

export async function createRow<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  req: AnyReq,
  fixed: Record<string, unknown> = {},
): Promise<unknown> {
  const { options } = resource;
  let input = { ...(req.body as Record<string, unknown>), ...fixed } as CreateOf<S>;
  const { body } = options.routes?.create ?? {};
  await checkReferences(ctx, body && isShape(body) ? body : resource.fields, input);
  const changed = await options.before?.create?.(ctx, input, req);
  if (changed) input = { ...input, ...changed };
  let row: Row<S>;
  if (options.create) row = await options.create(ctx, input, req);
  else {
    row = await insertRow(resource, ctx, input);
    await options.after?.create?.(ctx, row, input);
    await announceCreated(resource, ctx, row);
  }
  const shown = await presentOne(ctx, resource, row);
  await ctx.audit({ entity: entityName(resource), entityId: row.id, before: null, after: shown });
  return created(`/${options.path}/${row.id}`, shown);
}

function insertRow<S extends Shape>(resource: Resource<S>, ctx: Ctx, input: object, id?: string): Promise<Row<S>> {
  const values = stored(resource, input as Record<string, unknown>);
  if (resource.options.machine) values.status ??= resource.options.machine.start;
  return insertEntity(resource, ctx, { ...values, ...(id === undefined ? {} : { id }) });
}

async function announceCreated<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  row: Row<S>,
  { data, reason }: CreateOptions = {},
): Promise<void> {
  const { id } = row;
  const entity = entityName(resource);
  if (resource.options.machine) {
    await ctx.history({ entity, entityId: id, from: null, to: statusOf(row), ...(reason === undefined ? {} : { reason }) });
  }
  await ctx.emit(implied(`${entity}.created`), { id, data: { id, ...data } });
}

/** Returns the status of a row whose resource has a machine. */
function statusOf(row: object): string {
  if (!('status' in row) || typeof row.status !== 'string') throw new Error('a row of a resource with a machine has no status');
  return row.status;
}

/** Implements `Resource.create`. */
export async function createByCode<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  { id, ...values }: { id?: string },
  options: CreateOptions = {},
): Promise<Row<S>> {
  const row = await insertRow(resource, ctx, values, id);
  await announceCreated(resource, ctx, row, options);
  const { audit: action } = options;
  if (action !== undefined) await ctx.audit({ entity: entityName(resource), entityId: row.id, action, before: null, after: row });
  return row;
}

export async function updateRow<S extends Shape>(resource: Resource<S>, ctx: Ctx, req: AnyReq): Promise<unknown> {
  const { options } = resource;
  const id = (req.params as { id: string }).id;
  const { status, ...rest } = req.body as Record<string, unknown>;
  // Only with a machine; otherwise `status` is an ordinary field.
  const body = options.machine ? rest : (req.body as Record<string, unknown>);
  let entity = await lockEntity(resource, ctx, id);
  let previous = rowOf(resource, entity);
  checkVersion(req.ifMatch, previous);
  const { version } = previous;
  const before = await presentOne(ctx, resource, previous);
  if (typeof status === 'string' && options.machine) {
    const from = statusOf(previous);
    if (options.machine.check(from, status) === 'move') {
      previous = await moveRow(resource, ctx, id, options.machine.moveTo(from, status) as string, {});
      entity = await lockEntity(resource, ctx, id);
    }
  }
  let patch = body as PatchOf<S>;
  let row = previous;
  if (Object.keys(patch).length > 0) {
    await checkReferences(ctx, resource.fields, patch);
    const changed = await options.before?.update?.(ctx, previous, patch, req);
    if (changed) patch = { ...patch, ...changed };
    // The hook may have written the row.
    if (options.before?.update) entity = await lockEntity(resource, ctx, id);
    row = await changeEntity(resource, ctx, entity, stored(resource, patch));
    await options.after?.update?.(ctx, row, patch, previous);
  }
  const shown = await presentOne(ctx, resource, row);
  // An empty body changes nothing: no audit entry, no event.
  if (row.version !== version) await note(resource, ctx, 'updated', id, before, shown);
  return shown;
}

export async function removeRow<S extends Shape>(resource: Resource<S>, ctx: Ctx, req: AnyReq): Promise<unknown> {
  const { options } = resource;
  const id = (req.params as { id: string }).id;
  let entity = await lockEntity(resource, ctx, id);
  const row = rowOf(resource, entity);
  checkVersion(req.ifMatch, row);
  await options.before?.remove?.(ctx, row, req);
  if (options.before?.remove) entity = await lockEntity(resource, ctx, id);
  if ((options.deletes ?? 'restrict') === 'restrict') await checkNotInUse(ctx, entityName(resource), id);
  await removeEntity(ctx, entity);
  await options.after?.remove?.(ctx, row);
  await note(resource, ctx, 'deleted', id, await presentOne(ctx, resource, row), null);
  return noContent();
}

export async function moveRow<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  id: string,
  moveName: string,
  input: Record<string, unknown>,
): Promise<Row<S>> {
  const machine = resource.options.machine as Machine<string, Row<S>>;
  const move = machine.moves[moveName];
  if (!move) throw new Error(`${resource.noun} has no transition ${moveName}`);
  let entity = await lockEntity(resource, ctx, id);
  const row = rowOf(resource, entity);
  const from = statusOf(row);
  if (from === move.to) return row;
  if (!move.from.includes(from)) machine.check(from, move.to);
  if (!move.from.includes(from)) throw new Problem('invalid_transition', { from, to: move.to, allowed: machine.allowed(from) });
  await move.guard?.(ctx, row, input);
  const change = (await move.run?.(ctx, row, input)) ?? {};
  // They may have written the row.
  if (move.guard || move.run) entity = await lockEntity(resource, ctx, id);
  const moved = await changeEntity(resource, ctx, entity, { ...change, status: move.to });
  const name = entityName(resource);
  await ctx.history({
    entity: name,
    entityId: id,
    from,
    to: move.to,
    reason: typeof input.reason === 'string' ? input.reason : null,
  });
  await ctx.emit(implied(`${name}.${move.to}`), { id, data: { id, from, to: move.to } });
  return moved;
}

async function note<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  verb: 'created' | 'updated' | 'deleted',
  id: string,
  before: object | null,
  after: object | null,
): Promise<void> {
  const entity = entityName(resource);
  await ctx.audit({ entity, entityId: id, before, after });
  await ctx.emit(implied(`${entity}.${verb}`), { id, data: { id } });
}

/** The event of a change that the kernel knows from the resource's verbs and machine. */
const implied = (id: string): EventToken => event(id, { data: {} });

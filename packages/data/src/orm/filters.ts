import { Utils } from '@mikro-orm/core';
import { EntityHandle, entityName, isOperator, op } from '@storeloom/plugin-sdk';

const created = Object.keys(op);
/** Operators whose function has another name. */
const renamed: Readonly<Record<string, string>> = { nin: 'notIn' };

/** Returns the name of an entity: of its handle, or of its class. */
function nameOf(entity: unknown): string {
  if (entity instanceof EntityHandle) return entityName(entity.table);
  return typeof entity === 'function' ? entity.name : 'a related entity';
}

/** @throws Error for an operator that `op` didn't create: the JSON of a request never becomes an operator */
export function checkFilter(entity: unknown, filter: unknown): void {
  if (Array.isArray(filter)) {
    for (const part of filter) checkFilter(entity, part);
    return;
  }
  if (!Utils.isPlainObject(filter)) return;
  for (const [key, value] of Object.entries(filter as object)) {
    if (key.startsWith('$') && !isOperator(filter as object)) {
      const name = renamed[key.slice(1)] ?? key.slice(1);
      const fix = created.includes(name) ? `op.${name}(…)` : `one of ${created.map((each) => `op.${each}`).join(', ')}`;
      throw new Error(`The filter of ${nameOf(entity)} has the operator ${key}, which op didn't create. Create it with ${fix}.`);
    }
    checkFilter(entity, value);
  }
}

const direction = /^(asc|desc)(_nulls_(first|last)| nulls (first|last))?$/i;
/** @throws Error for a sort direction that isn't one */
export function checkOrder(order: unknown): void {
  if (Array.isArray(order)) {
    for (const part of order) checkOrder(part);
    return;
  }
  if (!Utils.isPlainObject(order)) return;
  for (const value of Object.values(order as object)) {
    if (typeof value === 'string' && !direction.test(value)) throw new Error(`"${value}" is not a sort direction.`);
    checkOrder(value);
  }
}

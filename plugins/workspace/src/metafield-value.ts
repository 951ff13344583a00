import {
  type Ctx,
  type Field,
  type FieldMode,
  f,
  invalid,
  parseBody,
  referenceNotFound,
  withPointers,
} from '@storeloom/plugin-sdk';
import { type DefinitionRow, entityOf } from './metafield-definitions.ts';

/** The field that a definition describes. */
export function fieldOf({ type, validations }: DefinitionRow): Field<unknown, FieldMode> {
  const maxLength = validations?.maxLength ?? undefined;
  const bounds = {
    ...(typeof validations?.min === 'number' ? { min: validations.min } : {}),
    ...(typeof validations?.max === 'number' ? { max: validations.max } : {}),
  };
  switch (type) {
    case 'string':
      return validations?.values ? f.oneOf(validations.values) : f.text({ max: maxLength ?? 500 });
    case 'text':
      return f.text({ max: maxLength ?? 20_000 });
    case 'int':
      return f.int({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, ...bounds });
    case 'decimal':
      return f.decimal(bounds);
    case 'bool':
      return f.bool();
    case 'date':
      return f.date();
    case 'datetime':
      return f.instant();
    case 'json':
      return f.anyJson({ max: 50_000 });
    case 'url':
      return f.url();
    case 'color':
      return f.text({ max: 7, pattern: /^#[0-9a-f]{6}$/i });
    case 'money':
      return f.money();
    case 'reference':
      return f.id();
  }
}

/** The value as it is stored. 422 with the pointer; a reference to nothing is 404. */
export async function checkValue(ctx: Ctx, definition: DefinitionRow, value: unknown, pointer: string): Promise<unknown> {
  if (value === null) throw invalid(pointer, 'required', 'must have a value; DELETE removes a metafield');
  const parsed = (await withPointers(
    (at) => at.replace(/^\/value/, pointer),
    () => parseBody({ value: fieldOf(definition) }, { value }, { partial: false, tenant: ctx.tenant }),
  )) as { value: unknown };
  const target = definition.type === 'reference' ? definition.validations?.entityType : undefined;
  if (typeof target === 'string') {
    const entity = entityOf(ctx, target);
    if (!entity || !(await ctx.rows(entity.table).get(parsed.value as string))) throw referenceNotFound(pointer);
  }
  return parsed.value;
}

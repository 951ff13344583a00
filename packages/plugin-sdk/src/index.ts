export { type Collection, type Loaded, LockMode, wrap } from '@mikro-orm/core';
export { type RawBuilder, sql } from 'kysely';
export { createLimiter, type Limiter, type LimiterOptions, withTimeout } from './async.ts';
export { codeField } from './code-field.ts';
export * from './context.ts';
export { escapeCsvCell, unescapeCsvCell } from './csv-cell.ts';
export { type IdRange, idBatches } from './data/batches.ts';
export { selectField, tableSql } from './data/columns.ts';
export {
  type CompiledEntities,
  type CompileOptions,
  compileEntities,
  type EntityUnit,
} from './data/compile-entities.ts';
export { EntityHandle, type EntityOptions, entityOf, isOffered } from './data/entity.ts';
export { constraintOf, databaseProblem, fieldOfConstraint, isRetryable } from './data/errors.ts';
export { freeName, slugOf, withSuffix } from './data/free-name.ts';
export type { ListSort } from './data/keyset.ts';
export {
  idFilter,
  List,
  type ListFilter,
  type ListOptions,
  type ListQuery,
  type ListSource,
  likePattern,
  list,
  type Operator,
} from './data/list.ts';
export { isOperator, op } from './data/operators.ts';
export {
  type EntityOf,
  type EntityRow,
  type ManyRelation,
  many,
  type OneRelation,
  one,
  type Relations,
  type RowEntity,
} from './data/relations.ts';
export { type RowsHost, rowsOf } from './data/rows.ts';
export { compileSchema, type DeclaredKey, declaredKeys } from './data/schema-entities.ts';
export { selectRows } from './data/select-rows.ts';
export { bindParameters, type Plan, type StatementBuilder, Statements, valueAt, withValues } from './data/statements.ts';
export { dryRun } from './dry-run.ts';
export * from './event.ts';
export * from './field.ts';
export { uuidv7 } from './id.ts';
export * from './job.ts';
export * from './kernel/index.ts';
export { slugify, snake } from './names.ts';
export { isEmptyPatch } from './patch.ts';
export { requirePermission, staffUserId } from './permission.ts';
export * from './plugin.ts';
export { withPointers } from './pointers.ts';
export * from './problem.ts';
export * from './reply.ts';
export {
  type Child,
  type CreateOptions,
  checkNotInUse,
  checkReferences,
  isMask,
  isResource,
  maskSecret,
  type Resource,
  type ResourceOptions,
  type ResourceRow,
  type ResponseShape,
  resource,
  responseShape,
  type Verb,
} from './resource.ts';
export type * from './response.ts';
export { sanitizeRichText } from './rich-text.ts';
export * from './route.ts';
export { checkSameCurrency } from './same-currency.ts';
export {
  choice,
  invalidParameter,
  isChoice,
  isCivilDate,
  isShape,
  isZod,
  type Locales,
  normalizeInstant,
  parseBody,
  parseParameter,
  parseQuery,
  type ResponseFilter,
  type ResponseSchema,
  responseFilter,
  type SchemaMode,
  shapeSchema,
  slugPattern,
  splitValues,
  uuidPattern,
  validationProblem,
} from './schema/index.ts';
export {
  type AnyTable,
  type BaseRow,
  claimTable,
  columnsOf,
  entityName,
  type Table,
  type TableInsert,
  type TableKey,
  type TableKeys,
  type TableOptions,
  type TablePatch,
  type TableRow,
  table,
  tableName,
} from './table.ts';
export * from './token.ts';
export { checkVersion } from './version.ts';

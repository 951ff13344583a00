export { type RawBuilder, sql } from 'kysely';
export * from './context.ts';
export { csvCell, textOfCsvCell } from './csv-cell.ts';
export { selectField, tableSql } from './data/columns.ts';
export { constraintOf, fieldOfConstraint, isRetryable, problemOfDatabase } from './data/errors.ts';
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
export { type RowsHost, rowsOf } from './data/rows.ts';
export { dryRun } from './dry-run.ts';
export * from './field.ts';
export { uuidv7 } from './id.ts';
export * from './kernel/index.ts';
export { camel, slugify, snake } from './names.ts';
export { namesNothing } from './patch.ts';
export * from './plugin.ts';
export * from './problem.ts';
export * from './reply.ts';
export {
  answerShape,
  type Child,
  checkNotInUse,
  checkReferences,
  isMask,
  isResource,
  maskSecret,
  type Resource,
  type ResourceOptions,
  resource,
  type Verb,
} from './resource.ts';
export { sanitizeRichText } from './rich-text.ts';
export * from './route.ts';
export {
  badParameter,
  choice,
  faults,
  isChoice,
  isCivilDate,
  isShape,
  isZod,
  type Locales,
  maxMoney,
  normalInstant,
  parseBody,
  parseParameter,
  parseQuery,
  type SchemaMode,
  shapeSchema,
  slugPattern,
  uuidPattern,
} from './schema/index.ts';
export {
  type AnyTable,
  type BaseRow,
  claimTable,
  columnsOf,
  entityName,
  type Table,
  type TableInsert,
  type TableOptions,
  type TablePatch,
  type TableRow,
  table,
  tableName,
} from './table.ts';
export * from './token.ts';
export { checkVersion } from './version.ts';

export { isCivilDate } from '../time/civil.ts';
export { normalizeInstant } from '../time/local.ts';
export { type Locales, parseBody } from './body.ts';
export { invalidParameter, validationProblem } from './faults.ts';
export { parseParameter, parseQuery } from './parameters.ts';
export { type ResponseFilter, responseFilter } from './response-filter.ts';
export { choice, isChoice, isShape, isZod } from './schema-like.ts';
export { type ResponseSchema, type SchemaMode, shapeSchema, slugPattern, uuidPattern } from './shape-schema.ts';
export { splitValues } from './split-values.ts';

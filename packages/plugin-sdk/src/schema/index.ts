export { isCivilDate } from '../time/civil.ts';
export { normalInstant } from '../time/local.ts';
export { type Locales, parseBody } from './body.ts';
export { badParameter, faults } from './faults.ts';
export { parseParameter, parseQuery } from './parameters.ts';
export { choice, isChoice, isShape, isZod } from './schema-like.ts';
export { maxMoney, type SchemaMode, shapeSchema, slugPattern, uuidPattern } from './shape-schema.ts';

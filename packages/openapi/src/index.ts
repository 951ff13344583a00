export { type ClientFamily, type ClientMethod, clientMethods } from './client-methods.ts';
export { type ClientSliceOptions, clientErrors, clientSlice } from './client-slice.ts';
export { buildOpenApi, type OpenApiDocument, type OpenApiInput } from './document.ts';
export { exampleOf } from './example.ts';
export { fieldJsonSchema, type JsonSchema, jsonSchemaOf, type View, writableShape } from './json-schema.ts';
export type { DocumentedRoute, ProblemTable, RouteFamily } from './route.ts';

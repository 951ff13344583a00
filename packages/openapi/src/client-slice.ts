import { type ClientFamily, type ClientMethod, clientMethods, type Operation, rowOf, type Schema } from './client-methods.ts';
import { grouped, keyOf, sharedTypes, TypeWriter, union } from './client-types.ts';
import type { OpenApiDocument } from './document.ts';
import { pascal } from './naming.ts';

export interface ClientSliceOptions {
  /** Short name of the plugin; `core` for the kernel's own routes. */
  plugin: string;
  /** Module that exports the client's types. Default `@storeloom/client`. */
  from?: string;
  /** Codes that the plugin declares, to export a class for each. Default: none. */
  problems?: readonly string[];
}

/** Families that a bundle for a shop's visitors contains. */
const visitors: readonly ClientFamily[] = ['storefront', 'auth', 'system'];

/**
 * Returns the TypeScript module with the slice of a plugin: the types of its bodies, its methods and public events, and the table of its
 * routes. It exports the slice by the plugin's name in camelCase (`giftCards`), and without the routes for staff and operators as
 * `giftCardsStorefront`. Undefined if the plugin has neither routes nor public events.
 *
 * @throws Error if two operations of the document have one method name
 */
export function clientSlice(document: OpenApiDocument, options: ClientSliceOptions): string | undefined {
  const { plugin, from = '@storeloom/client', problems = [] } = options;
  const methods = clientMethods(document).filter((method) => method.plugin === plugin);
  const events = eventsOf(document, plugin);
  if (methods.length === 0 && events.length === 0) return undefined;
  const writer = new TypeWriter();
  const imports = new Set(['Slice']);
  const queries: string[] = [];
  const families = [...new Set(methods.map(({ family }) => family))].sort();
  const title = pascal(plugin);
  const name = title.charAt(0).toLowerCase() + title.slice(1);

  const interfaces = families.map((family) => {
    const root: Node = { children: new Map() };
    for (const method of methods.filter((one) => one.family === family))
      place(root, method.name.split('.'), signatureOf(method, { document, writer, imports, queries }));
    return `export interface ${title}${pascal(family)} {\n${bodyOf(root, '  ')}\n}`;
  });
  const eventTypes = `export interface ${title}Events {\n${events
    .map(([type, schema]) => `  '${type}': ${writer.typeOf(schema)};`)
    .join('\n')}\n}`;
  const types = componentsOf(document, writer);
  for (const type of writer.used) if (sharedTypes.has(type)) imports.add(type);
  if (problems.length > 0) imports.add('problemClass');

  const tables = families.map((family) => {
    const lines = methods.filter((one) => one.family === family).map((method) => lineOf(method, document));
    return `const ${family}Routes = \`\n${lines.join('\n')}\n\`;`;
  });
  const sliceOf = (variable: string, of: readonly ClientFamily[]): string => {
    const typed = of.map((family) => `${family}: ${title}${pascal(family)}`).join('; ');
    const routes = of.map((family) => `${family}: ${family}Routes`).join(', ');
    return `export const ${variable}: Slice<${of.length > 0 ? `{ ${typed} }` : 'object'}, ${title}Events> = { plugin: '${plugin}', routes: { ${routes} } };`;
  };
  const forVisitors = families.filter((family) => visitors.includes(family));
  const classes = [...problems]
    .sort()
    .map((code) => `/** \`${code}\` */\nexport const ${pascal(code)} = /* @__PURE__ */ problemClass('${code}');`);
  const values = [...imports].filter((one) => one === 'problemClass');
  const typeOnly = [...imports].filter((one) => one !== 'problemClass').sort();
  const parts = [
    `// Generated from the OpenAPI document of ${plugin === 'core' ? 'the kernel' : `the plugin ${plugin}`}. Do not edit.`,
    `import ${values.length > 0 ? `{ ${[...values, ...typeOnly.map((one) => `type ${one}`)].join(', ')} }` : `type { ${typeOnly.join(', ')} }`} from '${from}';`,
    ...types,
    ...queries,
    ...interfaces,
    ...(events.length > 0 ? [eventTypes] : [`export type ${title}Events = object;`]),
    ...tables,
    `/** Routes and events of ${plugin}. */\n${sliceOf(name, families)}`,
    ...(forVisitors.length > 0
      ? [
          `/** Routes of ${plugin} for visitors of a shop: without those for staff and operators. */\n${sliceOf(`${name}Storefront`, forVisitors)}`,
        ]
      : []),
    ...classes,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the module with a class for each problem code of the document. `from` exports `problemClass`. */
export function clientErrors(document: OpenApiDocument, from: string): string {
  const problems = document['x-problems'] as Readonly<Record<string, { status: number; title: string }>>;
  const classes = Object.entries(problems).map(
    ([code, { status, title }]) =>
      `/** ${title} (status ${status}). */\nexport const ${pascal(code)} = /* @__PURE__ */ problemClass('${code}');`,
  );
  return `// Generated from the problem codes of the OpenAPI document. Do not edit.\nimport { problemClass } from '${from}';\n\n${classes.join('\n')}\n`;
}

interface Emission {
  document: OpenApiDocument;
  writer: TypeWriter;
  imports: Set<string>;
  queries: string[];
}
interface Signature {
  docs: string;
  /** `(id: string, options?: CallOptions): Promise<Order>`. */
  text: string;
}
interface Node {
  signature?: Signature;
  children: Map<string, Node>;
}

function place(node: Node, [step, ...rest]: readonly string[], signature: Signature): void {
  const child = node.children.get(step as string) ?? { children: new Map<string, Node>() };
  node.children.set(step as string, child);
  if (rest.length === 0) child.signature = signature;
  else place(child, rest, signature);
}

function bodyOf(node: Node, indent: string): string {
  const lines: string[] = [];
  for (const [name, { signature, children }] of node.children) {
    if (signature && children.size === 0)
      lines.push(`${indent}/** ${signature.docs} */`, `${indent}${keyOf(name)}${signature.text};`);
    else {
      const own = signature ? [`${indent}  /** ${signature.docs} */`, `${indent}  ${signature.text};`] : [];
      lines.push(`${indent}${keyOf(name)}: {`, ...own, bodyOf({ children }, `${indent}  `), `${indent}};`);
    }
  }
  return lines.join('\n');
}

function signatureOf(method: ClientMethod, emission: Emission): Signature {
  const { operation, path } = method;
  const { imports, writer } = emission;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`);
  const { requestBody } = operation;
  if (requestBody) parameters.push(`body${requestBody.required ? '' : '?'}: ${bodyTypeOf(requestBody.content, emission)}`);
  const query = queryTypeOf(method, emission);
  if (query) parameters.push(`query${query.required ? '' : '?'}: ${query.name}`);
  const result = resultOf(operation, writer, imports);
  // A redirect is an address, which nothing is sent for.
  if (result !== 'string') {
    imports.add('CallOptions');
    parameters.push('options?: CallOptions');
  }
  return { docs: docsOf(method), text: `(${optionalLast(parameters).join(', ')}): ${result}` };
}

/** A parameter before a required one can't be optional. */
function optionalLast(parameters: readonly string[]): string[] {
  const lastRequired = parameters.findLastIndex((one) => !/^\w+\?:/.test(one));
  return parameters.map((one, i) => (i < lastRequired ? one.replace(/^(\w+)\?: (.*)$/, '$1: $2 | undefined') : one));
}

function docsOf({ operation, method, path }: ClientMethod): string {
  const permission = operation['x-permission'];
  const summary = operation.summary.replaceAll('*/', '* /').replace(/\.$/, '');
  const deprecated = operation.deprecated ? ' @deprecated' : '';
  return `${summary}. \`${method} ${path}\`${permission ? `, permission \`${permission}\`` : ''}.${deprecated}`;
}

function bodyTypeOf(content: Readonly<Record<string, { schema: Schema }>>, { writer, imports }: Emission): string {
  const kinds = Object.keys(content);
  const types = kinds.map((kind) => {
    if (kind === 'application/json') return writer.typeOf(content[kind]?.schema ?? {});
    if (kind === 'application/x-www-form-urlencoded') return 'URLSearchParams';
    if (kind === 'multipart/form-data' && kinds.length > 1) return 'FormData';
    const type = kind === 'multipart/form-data' ? 'Upload' : 'Bytes';
    imports.add(type);
    return type;
  });
  return union(types);
}

function resultOf(operation: Operation, writer: TypeWriter, imports: Set<string>): string {
  const row = rowOf(operation);
  if (row) {
    imports.add('Pages');
    return `Pages<${writer.typeOf(row)}>`;
  }
  if (isRedirect(operation)) return 'string';
  const types: string[] = [];
  for (const [status, { content = {} }] of Object.entries(operation.responses)) {
    if (!/^2/.test(status)) continue;
    if (Object.keys(content).length === 0) types.push('void');
    for (const [kind, { schema }] of Object.entries(content)) {
      if (kind !== 'application/json') imports.add('Download');
      types.push(kind === 'application/json' ? writer.typeOf(schema) : 'Download');
    }
  }
  return `Promise<${union(types)}>`;
}

const isRedirect = ({ responses }: Operation): boolean => '302' in responses;

/** The query of an operation as an interface: `price[gte]` is a property of `price`. */
function queryTypeOf(
  { operation }: ClientMethod,
  { document, writer, queries }: Emission,
): { name: string; required: boolean } | undefined {
  const parameters = parametersOf(document, operation);
  if (parameters.length === 0) return undefined;
  const fields = new Map<string, { plain?: string; required: boolean; operators: string[]; docs?: string }>();
  for (const { name: full, schema, required, style, description } of parameters) {
    const [, name = full, operator] = /^(\w+)\[(\w+)\]$/.exec(full) ?? [];
    const field = fields.get(name) ?? { required: false, operators: [] };
    fields.set(name, field);
    const item = schema.type === 'array' ? writer.typeOf(schema.items as Schema) : undefined;
    const type = item === undefined ? writer.typeOf(schema) : `${grouped(item)} | readonly ${grouped(item)}[]`;
    if (operator !== undefined) field.operators.push(`${operator}?: ${type};`);
    else {
      field.plain = style === 'deepObject' || name === 'others' ? 'Record<string, string | number | boolean>' : type;
      field.required = required === true;
      if (description && !/^Rows whose /.test(description)) field.docs = description;
    }
  }
  const name = `${pascal(operation.operationId)}Query`;
  const lines = [...fields].map(([field, { plain, required, operators, docs }]) => {
    const types = [...(plain === undefined ? [] : [plain]), ...(operators.length > 0 ? [`{ ${operators.join(' ')} }`] : [])];
    const comment = docs ? `  /** ${docs.replaceAll('*/', '* /')} */\n` : '';
    return `${comment}  ${keyOf(field)}${required ? '' : '?'}: ${union(types)};`;
  });
  queries.push(`export interface ${name} {\n${lines.join('\n')}\n}`);
  return { name, required: [...fields.values()].some(({ required }) => required) };
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
  required?: boolean;
  style?: string;
  description?: string;
}
function parametersOf(document: OpenApiDocument, { parameters = [] }: Operation): Parameter[] {
  const shared = document.components.parameters as Record<string, unknown>;
  return parameters
    .map(
      (parameter) => ('$ref' in parameter ? shared[String(parameter.$ref).split('/').at(-1) as string] : parameter) as Parameter,
    )
    .filter((parameter) => parameter.in === 'query');
}

function lineOf({ name, method, below, operation }: ClientMethod, document: OpenApiDocument): string {
  const kinds = Object.keys(operation.requestBody?.content ?? {});
  const isFile = Object.entries(operation.responses).some(
    ([status, { content = {} }]) => /^2/.test(status) && Object.keys(content).some((kind) => kind !== 'application/json'),
  );
  const flags = [
    rowOf(operation) ? 'l' : '',
    kinds.length > 0 ? 'b' : '',
    kinds.join() === 'multipart/form-data' ? 'u' : '',
    parametersOf(document, operation).length > 0 ? 'q' : '',
    operation.parameters?.some(({ $ref }) => String($ref).endsWith('/IdempotencyKey')) ? 'k' : '',
    isFile ? 'f' : '',
    isRedirect(operation) ? 'r' : '',
  ].join('');
  const text = kinds.find((kind) => /^text\//.test(kind));
  return [name, method, below.replace(/\{\w+\}/g, '{}') || '/', flags, text]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

/** Declarations of the components in use, sorted by name. */
function componentsOf(document: OpenApiDocument, writer: TypeWriter): string[] {
  const schemas = document.components.schemas as Record<string, Schema>;
  const declared = new Map<string, string>();
  for (let open = next(); open !== undefined; open = next()) declared.set(open, writer.declarationOf(open, schemas[open] ?? {}));
  return [...declared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);

  function next(): string | undefined {
    return [...writer.used].find((name) => !sharedTypes.has(name) && !declared.has(name));
  }
}

/** Public events of a plugin with the schema of their payload. */
function eventsOf(document: OpenApiDocument, plugin: string): [type: string, data: Schema][] {
  const webhooks = (document.webhooks ?? {}) as Record<string, { post: Operation }>;
  return Object.entries(webhooks)
    .filter(([, { post }]) => post['x-plugin'] === plugin)
    .map(([type, { post }]) => {
      const schema = post.requestBody?.content['application/json']?.schema as { properties: { data: { allOf: Schema[] } } };
      return [type, schema.properties.data.allOf[0] as Schema];
    });
}

// Compares two versions of a frozen surface. A change is breaking if a client of the old version may fail with the new one: it reads what
// responses and events contain, and sends what requests accept. New values of an enumeration in a response are additive: clients must
// ignore values that they don't know.

/** @typedef {{ kind: 'breaking' | 'additive', where: string, what: string }} Change */

/** The parts of an operation that clients depend on. `document` is the OpenAPI document. */
export function operationSurface(operation, document) {
  const shared = document.components.parameters;
  const responses = Object.entries(operation.responses)
    .filter(([status]) => /^[23]\d\d$/.test(status))
    .map(([status, { content = {} }]) => [status, contentOf(content)]);
  return {
    operationId: operation.operationId,
    ...(operation['x-permission'] ? { permission: operation['x-permission'] } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    parameters: (operation.parameters ?? [])
      .map((parameter) => (parameter.$ref ? shared[parameter.$ref.split('/').at(-1)] : parameter))
      .map((parameter) => ({
        name: parameter.name,
        in: parameter.in,
        ...(parameter.required ? { required: true } : {}),
        schema: bare(parameter.schema),
      })),
    ...(operation.requestBody
      ? {
          body: {
            ...(operation.requestBody.required ? { required: true } : {}),
            content: contentOf(operation.requestBody.content),
          },
        }
      : {}),
    responses: Object.fromEntries(responses),
  };
}

const contentOf = (content) => Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, bare(schema)]));

const prose = new Set(['description', 'examples', 'example', 'title', 'readOnly', 'writeOnly', 'deprecated']);

/** A schema without prose. */
export function bare(schema) {
  if (Array.isArray(schema)) return schema.map(bare);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isMap = (key) => key === 'properties' || key === 'patternProperties';
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !prose.has(key))
      .map(([key, value]) => [
        key,
        isMap(key) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, bare(inner)])) : bare(value),
      ]),
  );
}

/** Every component that a value refers to, directly or through others. */
export function referredIn(value, schemas, found = {}) {
  for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (name in found) continue;
    found[name] = bare(schemas[name] ?? {});
    referredIn(found[name], schemas, found);
  }
  return found;
}

/**
 * Changes from one version of a surface to the next: `{ operations, events, claims, schemas }`. Claims go both ways: a new kernel reads old
 * licences, and an old kernel reads new ones.
 */
export function compareSurfaces(before, after) {
  const changes = [];
  const add = (kind, where, what) => changes.push({ kind, where, what });
  const context = { before: before.schemas ?? {}, after: after.schemas ?? {}, add };
  each(before.operations, after.operations, {
    removed: (name) => add('breaking', name, 'the operation was removed'),
    added: (name) => add('additive', name, 'new operation'),
    kept: (name, old, now) => compareOperations(name, old, now, context),
  });
  each(before.events, after.events, {
    removed: (name) => add('breaking', `event ${name}`, 'the event was removed'),
    added: (name) => add('additive', `event ${name}`, 'new event'),
    kept: (name, old, now) => compareSchemas(`event ${name}`, old, now, 'output', context),
  });
  each(before.claims, after.claims, {
    removed: (name) => add('breaking', name, 'removed'),
    added: (name) => add('additive', name, 'new'),
    kept(name, old, now) {
      compareSchemas(`${name} as read`, old, now, 'input', context);
      compareSchemas(`${name} as issued`, old, now, 'output', context);
    },
  });
  return changes;
}

/**
 * Whether a breaking change of a package is allowed: before its first release, and with a changeset of a major version. `tags` are those of
 * git, `<package>@<version>`; `changesets` are texts.
 */
export function mayBreak(name, { tags, changesets }) {
  if (!tags.some((tag) => tag.startsWith(`${name}@`))) return true;
  return changesets.some((text) => {
    const head = /^---\n(.*?)\n---/s.exec(text)?.[1] ?? '';
    return head.split('\n').some((line) => line.replace(/['"]/g, '').replace(/\s/g, '') === `${name}:major`);
  });
}

/** Changes of a list of unique names, such as methods and types of the client. */
export function compareNames(before, after) {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...before.filter((line) => !now.has(line)).map((line) => ({ kind: 'breaking', where: line, what: 'removed or changed' })),
    ...after.filter((line) => !old.has(line)).map((line) => ({ kind: 'additive', where: line, what: 'new' })),
  ];
}

function each(before = {}, after = {}, { removed, added, kept }) {
  for (const name of Object.keys(before)) if (!(name in after)) removed(name);
  for (const name of Object.keys(after)) {
    if (name in before) kept(name, before[name], after[name]);
    else added(name);
  }
}

function compareOperations(name, before, after, context) {
  const { add } = context;
  if (before.operationId !== after.operationId)
    add('breaking', name, `operationId ${before.operationId} became ${after.operationId}`);
  if (before.permission !== after.permission)
    add('breaking', name, `the permission ${before.permission ?? 'none'} became ${after.permission ?? 'none'}`);
  if (!before.deprecated && after.deprecated) add('additive', name, 'deprecated');
  const byName = (parameters) =>
    Object.fromEntries(parameters.filter((one) => one.in !== 'path').map((one) => [`${one.in} parameter ${one.name}`, one]));
  each(byName(before.parameters), byName(after.parameters), {
    removed: (one) => add('breaking', name, `the ${one} was removed`),
    added: (one) =>
      after.parameters.some((parameter) => parameter.required && one === `${parameter.in} parameter ${parameter.name}`)
        ? add('breaking', name, `the ${one} is new and required`)
        : add('additive', name, `new ${one}`),
    kept(one, old, now) {
      if (!old.required && now.required) add('breaking', name, `the ${one} became required`);
      compareSchemas(`${name} ${one}`, old.schema, now.schema, 'input', context);
    },
  });
  if (!before.body && after.body?.required) add('breaking', name, 'a body became required');
  else if (!before.body && after.body) add('additive', name, 'accepts a body');
  if (before.body && !after.body) add('breaking', name, 'no body is accepted any longer');
  if (before.body && after.body) {
    if (!before.body.required && after.body.required) add('breaking', name, 'the body became required');
    each(before.body.content, after.body.content, {
      removed: (type) => add('breaking', name, `bodies of ${type} aren't accepted any longer`),
      added: (type) => add('additive', name, `accepts bodies of ${type}`),
      kept: (_, old, now) => compareSchemas(`${name} body`, old, now, 'input', context),
    });
  }
  each(before.responses, after.responses, {
    removed: (status) => add('breaking', name, `the status ${status} was removed`),
    // A client that knows 200 alone doesn't know that 202 has no result yet.
    added: (status) => add(status === '304' ? 'additive' : 'breaking', name, `new status ${status}`),
    kept: (status, old, now) =>
      each(old, now, {
        removed: (type) => add('breaking', name, `${status} is no longer ${type}`),
        added: (type) => add('additive', name, `${status} can be ${type}`),
        kept: (_, one, other) => compareSchemas(`${name} ${status}`, one, other, 'output', context),
      }),
  });
}

/** Limits of a value, with the direction in which a request accepts less. */
const limits = {
  minimum: 1,
  exclusiveMinimum: 1,
  minLength: 1,
  minItems: 1,
  maximum: -1,
  exclusiveMaximum: -1,
  maxLength: -1,
  maxItems: -1,
};

function compareSchemas(where, before, after, direction, context, seen = new Set()) {
  const { add } = context;
  const pair = `${before.$ref ?? ''} ${after.$ref ?? ''} ${direction}`;
  if (before.$ref && after.$ref) {
    if (seen.has(pair)) return;
    seen.add(pair);
  }
  const [old, now] = [resolved(before, context.before), resolved(after, context.after)];
  const [oldTypes, newTypes] = [typesOf(before, context.before), typesOf(after, context.after)];
  const lost = [...oldTypes].filter((type) => !newTypes.has(type));
  const gained = [...newTypes].filter((type) => !oldTypes.has(type));
  // `any` accepts and may be everything.
  const wasAny = oldTypes.has('any');
  const isAny = newTypes.has('any');
  if (direction === 'input' ? !isAny && (wasAny || lost.length > 0) : !wasAny && (isAny || gained.length > 0))
    return add('breaking', where, `the type ${[...oldTypes].join(' | ')} became ${[...newTypes].join(' | ')}`);
  if (lost.length > 0 || gained.length > 0)
    add('additive', where, `the type ${[...oldTypes].join(' | ')} became ${[...newTypes].join(' | ')}`);

  const [oldValues, newValues] = [valuesOf(old), valuesOf(now)];
  if (oldValues && newValues) {
    const gone = oldValues.filter((value) => !newValues.includes(value));
    const fresh = newValues.filter((value) => !oldValues.includes(value));
    if (gone.length > 0) add(direction === 'input' ? 'breaking' : 'additive', where, `without the values ${gone.join(', ')}`);
    if (fresh.length > 0) add('additive', where, `new values ${fresh.join(', ')}`);
  } else if (newValues) add(direction === 'input' ? 'breaking' : 'additive', where, `only the values ${newValues.join(', ')}`);
  else if (oldValues) add(direction === 'input' ? 'additive' : 'breaking', where, 'any value');

  if ((old.format ?? old['x-unit']) !== (now.format ?? now['x-unit']))
    add('breaking', where, `the format ${old.format ?? old['x-unit'] ?? 'none'} became ${now.format ?? now['x-unit'] ?? 'none'}`);
  if (direction === 'input') {
    for (const [limit, narrower] of Object.entries(limits)) {
      if (old[limit] === now[limit]) continue;
      const isNarrower = now[limit] !== undefined && (old[limit] === undefined || (now[limit] - old[limit]) * narrower > 0);
      add(isNarrower ? 'breaking' : 'additive', where, `${limit} ${old[limit] ?? 'none'} became ${now[limit] ?? 'none'}`);
    }
    if (old.pattern !== now.pattern)
      add(
        now.pattern === undefined ? 'additive' : 'breaking',
        where,
        `the pattern ${old.pattern ?? 'none'} became ${now.pattern ?? 'none'}`,
      );
  }
  if (old.items && now.items) compareSchemas(`${where}[]`, old.items, now.items, direction, context, seen);
  if (isSchema(old.additionalProperties) && isSchema(now.additionalProperties))
    compareSchemas(`${where}.*`, old.additionalProperties, now.additionalProperties, direction, context, seen);
  compareProperties(where, old, now, direction, context, seen);
  compareOptions(where, old, now, direction, context, seen);
}

function compareProperties(where, old, now, direction, context, seen) {
  const { add } = context;
  const isRequired = (schema, name) => (schema.required ?? []).includes(name);
  each(old.properties, now.properties, {
    removed: (name) => add('breaking', `${where}.${name}`, 'the property was removed'),
    added: (name) =>
      direction === 'input' && isRequired(now, name)
        ? add('breaking', `${where}.${name}`, 'new and required')
        : add('additive', `${where}.${name}`, 'new property'),
    kept(name, one, other) {
      const [was, is] = [isRequired(old, name), isRequired(now, name)];
      if (was !== is)
        add(
          is === (direction === 'input') ? 'breaking' : 'additive',
          `${where}.${name}`,
          is ? 'became required' : 'became optional',
        );
      compareSchemas(`${where}.${name}`, one, other, direction, context, seen);
    },
  });
}

/** The variants of `anyOf`, `oneOf` and `allOf`, without null, one by one. */
function compareOptions(where, old, now, direction, context, seen) {
  const optionsOf = (schema) => (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).filter((one) => one.type !== 'null');
  const [before, after] = [optionsOf(old), optionsOf(now)];
  if (before.length !== after.length) {
    const isBreaking = direction === 'input' ? after.length < before.length : after.length > before.length;
    context.add(isBreaking ? 'breaking' : 'additive', where, `${before.length} variants became ${after.length}`);
    return;
  }
  before.forEach((one, i) => {
    compareSchemas(before.length === 1 ? where : `${where}|${i}`, one, after[i], direction, context, seen);
  });
}

const isSchema = (value) => typeof value === 'object' && value !== null;
/** Values of an enumeration; null is a type. */
const valuesOf = (schema) => (schema.enum ?? ('const' in schema ? [schema.const] : undefined))?.filter((value) => value !== null);

/** A schema without its reference, and without the variant null: `typesOf` sees that one. */
function resolved(schema, schemas) {
  if (schema.$ref) return resolved(schemas[schema.$ref.split('/').at(-1)] ?? {}, schemas);
  const options = (schema.anyOf ?? schema.oneOf)?.filter((one) => one.type !== 'null');
  return options?.length === 1 ? resolved(options[0], schemas) : schema;
}

/** Types of a schema, `any` where it names none. */
function typesOf(schema, schemas, depth = 0) {
  if (schema.$ref)
    return depth < 5 ? typesOf(schemas[schema.$ref.split('/').at(-1)] ?? {}, schemas, depth + 1) : new Set(['any']);
  const options = schema.anyOf ?? schema.oneOf;
  if (options && depth < 5) return new Set(options.flatMap((one) => [...typesOf(one, schemas, depth + 1)]));
  if (schema.allOf) return new Set(['object']);
  if (schema.type) return new Set([schema.type].flat());
  if (schema.enum || 'const' in schema)
    return new Set((schema.enum ?? [schema.const]).map((value) => (value === null ? 'null' : typeof value)));
  return new Set([schema.properties ? 'object' : 'any']);
}

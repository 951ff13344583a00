import { z } from 'zod';
import { misfit, unreadable, writable } from './settings-schema.ts';

/** A reason why a theme can't be activated. */
export interface ThemeProblem {
  /** `template_missing`, `token_invalid`, `preset_invalid`, `parent_missing`, `description_invalid` and the like. */
  readonly code: string;
  /** The place and what is wrong there. */
  readonly message: string;
}

const identifier = /^[a-z0-9]+(?:[-./][a-z0-9]+)*$/;
const jsonObject = z.record(z.string(), z.unknown());
/** JSON Schema of settings, as the fields of a theme give it. */
const settingsSchema = jsonObject
  .refine((schema) => schema.type === 'object' && isReadable(schema), 'must be a JSON Schema of an object')
  .superRefine((schema, { addIssue }) => {
    const message = unreadable(schema);
    if (message !== undefined) addIssue({ code: 'custom', message });
  })
  .transform(writable);
/** Values are checked by it, so it must be one that we understand. */
function isReadable(schema: Record<string, unknown>): boolean {
  try {
    z.fromJSONSchema(schema);
    return true;
  } catch {
    return false;
  }
}

/** `theme.json` of a package: what the API must know of a theme, written when it is packed. None of its code runs here. */
export const themeDescription = z.strictObject({
  $schema: z.string().optional(),
  contract: z.literal(1),
  title: z.record(z.string(), z.string()).default({}),
  /** Design tokens in groups; each has a `$value`. */
  tokens: jsonObject.default({}),
  settings: settingsSchema.default({ type: 'object', properties: {} }),
  /** Ids of pages that the theme itself draws; `<plugin>/<page>` overrides one of a plugin. */
  templates: z.array(z.string().regex(identifier, 'must be words of a-z and 0-9')).max(500).default([]),
  /** Sections that staff may place, with the schema of their settings. */
  sections: z
    .record(
      z.string().regex(identifier),
      z.strictObject({
        settings: settingsSchema.default({ type: 'object', properties: {} }),
        /** Templates that it may stand on; null: all. */
        enabledOn: z.array(z.string().regex(identifier)).max(500).nullable().default(null),
      }),
    )
    .default({}),
  /** What a template shows while nothing is saved for it. */
  presets: z
    .record(
      z.string().regex(identifier),
      z.array(z.strictObject({ type: z.string(), settings: jsonObject.default({}) })).max(100),
    )
    .default({}),
});
/** `theme.json` with its defaults filled in. */
export type ThemeDescription = z.infer<typeof themeDescription>;

/** Every token of a group must have a value that a style sheet can carry. */
export function tokenProblems(tokens: Readonly<Record<string, unknown>>, path = 'tokens', depth = 0): ThemeProblem[] {
  const wrong = (message: string): ThemeProblem[] => [{ code: 'token_invalid', message: `${path} ${message}` }];
  if (depth > 6) return wrong('is nested too deeply');
  return Object.entries(tokens).flatMap(([name, value]): ThemeProblem[] => {
    if (name.startsWith('$')) return [];
    const at = `${path}.${name}`;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [{ code: 'token_invalid', message: `${at} must be a token or a group of tokens` }];
    const token = value as Record<string, unknown>;
    if (!Object.hasOwn(token, '$value')) return tokenProblems(token, at, depth + 1);
    const { $value } = token;
    // What could end a declaration would let a theme's data write style rules of its own.
    if (typeof $value === 'number' || (typeof $value === 'string' && $value.length <= 500 && !/[;{}<>]/.test($value))) return [];
    return [{ code: 'token_invalid', message: `${at}.$value must be a number, or a text without ; { } < >` }];
  });
}

/** A child over its parent: tokens and settings one by one, templates and sections together. */
export function inherit(parent: ThemeDescription, child: ThemeDescription): ThemeDescription {
  const properties = { ...(parent.settings.properties as object), ...(child.settings.properties as object) };
  return {
    contract: 1,
    title: child.title,
    tokens: merged(parent.tokens, child.tokens),
    settings: { ...parent.settings, ...child.settings, properties },
    templates: [...new Set([...parent.templates, ...child.templates])],
    sections: { ...parent.sections, ...child.sections },
    presets: { ...parent.presets, ...child.presets },
  };
}

/** Presets name templates and sections of the theme, and have settings that these take. */
export function presetProblems({ presets, sections, templates }: ThemeDescription): ThemeProblem[] {
  const wrong = (message: string): ThemeProblem => ({ code: 'preset_invalid', message });
  return Object.entries(presets).flatMap(([template, shown]) => {
    if (!templates.includes(template)) return [wrong(`presets.${template} is for a template that the theme doesn't have`)];
    return shown.flatMap(({ type, settings }, i) => {
      const at = `presets.${template}.${i}`;
      const section = Object.hasOwn(sections, type) ? sections[type] : undefined;
      if (!section) return [wrong(`${at} is of the unknown section ${type}`)];
      if (section.enabledOn && !section.enabledOn.includes(template))
        return [wrong(`${at}: ${type} doesn't stand on ${template}`)];
      const why = misfit(section.settings, settings);
      return why === undefined ? [] : [wrong(`${at}: ${why}`)];
    });
  });
}
function merged(base: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(result, name) ? result[name] : undefined;
    result[name] = isGroup(below) && isGroup(value) ? merged(below, value) : value;
  }
  return result;
}
const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '$value');

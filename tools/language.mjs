// Checks that private and odd words stay out of comments, messages, locale texts and documents, and out of names.
// Option: --directory <folder> checks another folder. Further arguments are the paths to check.
import './needs-node.mjs';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './workspace.mjs';

const { values, positionals } = parseArgs({
  options: { directory: { type: 'string' } },
  allowPositionals: true,
});
const folder = values.directory === undefined ? root : resolve(values.directory);
const paths = positionals.map((path) => relative(folder, resolve(process.env.INIT_CWD ?? process.cwd(), path)));

/** Words of prose, and what to write instead. */
const words = [
  ['wish(es|ed)?', 'request, input'],
  ['(a|the|one|its|same|fixed) beat', 'interval, fixed response interval'],
  ['glances?', 'cached snapshot'],
  ['anew', 'again'],
  ['dearer', 'more expensive'],
  ['cheaper', 'less expensive'],
  ['whoever|whomever', 'the role or the type: the caller, any customer'],
  ['nobody|no one', 'the role or the type: no user, no request'],
  ['somebody|someone', 'the role or the type: a user, another request'],
  ['whatever|something', 'the noun'],
  ['(is|are|be|been|was|were) told', 'is notified, receives'],
  ['(is|are|be|been|was|were) heard', 'is delivered, is handled'],
  ['hears?', 'handles, receives'],
  ['neighbours?', 'optional dependencies, adjacent rows'],
  ["(can't|cannot) be had", 'is unavailable'],
  ['stands? (there )?twice', 'is duplicated'],
  ['(is|are|be|been|was|were) taken in', 'is registered, is accepted'],
  ['gives no plugin', 'has no default export of a plugin'],
  ['by (itself|themselves)', 'alone, automatically, or leave it out'],
  ['at once', 'simultaneously, immediately'],
  ['(?<!e-)mails', 'e-mails'],
  ['passed on', 'transferred, forwarded'],
  ['the house|a house', 'the property, the hotel, the restaurant'],
  ['row rules', 'row-level security policies'],
  ['for ever', 'permanently'],
  ['of its own accord', 'automatically'],
].map(([pattern, instead]) => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, 'gi'), instead }));

/** Words inside identifiers and file names (`PlaceWish`, `neighbours.ts`), compared word by word without their case. */
const names = new Map(
  Object.entries({
    wish: 'request, input',
    glance: 'snapshot',
    anew: 'again',
    dearer: 'moreExpensive',
    cheaper: 'lessExpensive',
    whoever: 'the role or the type',
    nobody: 'the role or the type',
    somebody: 'the role or the type',
    neighbours: 'optional dependencies (`integrations`)',
    theirs: 'a noun',
    whose: 'a noun',
  }),
);
/** Whole identifiers. */
const identifiers = new Map(
  Object.entries({
    beat: '`interval`',
    Departure: '`AbortSignal`',
    Outside: '`withoutTransaction`, external call',
    TenantMoved: '`StaleTenantError`',
  }),
);

/** Characters that look like the Romanian letters with a comma below, and are not them. */
const cedilla = /[şţŞŢ]/g;

/** Not prose of this project: data, generated files, migrations (they are never edited), and the list above. */
const excluded = /(^|\/)(testdata|migrations|node_modules|api)\/|(^|\/)(pnpm-lock\.yaml|LICENSE|results\.json)$|^tools\/language/;
const isCode = (file) => /\.(tsx?|mjs|mts|js|cjs)$/.test(file);
const isProse = (file) => /\.md$|(^|\/)locales\/[a-z]+\.json$|(^|\/)package\.json$/.test(file);

/** Replaces everything but line breaks, so that positions stay what they are. */
const blank = (text) => text.replace(/[^\n]/g, ' ');

/** What starts at one place of a source file, in the order in which it is tried. */
const tokens = new RegExp(
  [
    /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)/,
    /(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/,
    /(?<template>`(?:\\.|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}|[^`\\])*`)/,
    /(?<regex>(?<=(?:^|[=(,:[!&|?{};+]|return|=>)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);

/** The prose of a token: a template without its expressions, a string without its code spans; comments are treated later. */
function textOf(token, { string, template }) {
  if (template !== undefined) return token.replace(/\$\{[^}]*\}/g, blank);
  return string === undefined ? token : token.replace(/`[^`\n]*`/g, blank);
}

/**
 * Splits a source file into prose (comments, and strings of more than one word) and code (the rest), each of the same length as
 * the file.
 */
function split(text) {
  let prose = '';
  let code = '';
  let from = 0;
  for (const match of text.matchAll(tokens)) {
    const [token] = match;
    const before = text.slice(from, match.index);
    const { comment, string, template } = match.groups;
    const isText = comment !== undefined || ((string ?? template)?.trim().includes(' ') ?? false);
    prose += blank(before) + (isText ? textOf(token, match.groups) : blank(token));
    // Expressions inside a template hold names too.
    code +=
      before +
      (template === undefined ? blank(token) : token.replace(/\$\{[^}]*\}|[^\n]/g, (part) => (part.length > 1 ? part : ' ')));
    from = match.index + token.length;
  }
  return { prose: prose + blank(text.slice(from)), code: code + text.slice(from) };
}

/** Code inside prose: spans and fenced blocks in backticks, links' targets. */
const withoutCode = (text, isMarkdown) =>
  (isMarkdown ? text.replace(/^```[\s\S]*?^```$/gm, blank).replace(/\]\([^)\n]*\)/g, blank) : text).replace(/`[^`\n]*`/g, blank);

const lineOf = (text, index) => text.slice(0, index).split('\n').length;
const partsOf = (name) => name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];

/** What to write instead of a name, or undefined. */
function insteadOf(name) {
  const whole = identifiers.get(name);
  if (whole !== undefined) return whole;
  const part = partsOf(name).find((one) => names.has(one.toLowerCase()));
  return part && names.get(part.toLowerCase());
}

function findingsOf(file) {
  const text = readFileSync(join(folder, file), 'utf8');
  const findings = [];
  const add = (index, found, instead) => findings.push({ file, line: lineOf(text, index), found, instead });

  const inPath = file.split(/[/.]/).find((part) => part.split('-').some((word) => insteadOf(word)));
  if (inPath !== undefined) add(0, inPath, insteadOf(inPath.split('-').find(insteadOf)));

  const { prose, code } = isCode(file) ? split(text) : { prose: text, code: '' };
  // In a template literal a backtick is the end of the text, not the start of code.
  const searched = isCode(file)
    ? prose.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (comment) => withoutCode(comment, false))
    : withoutCode(prose, /\.md$/.test(file));
  // A comment or a paragraph breaks its lines anywhere.
  for (const { pattern, instead } of words) for (const match of searched.matchAll(pattern)) add(match.index, match[0], instead);
  for (const match of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
    const instead = insteadOf(match[0]);
    if (instead !== undefined) add(match.index, match[0], instead);
  }
  for (const match of searched.matchAll(cedilla)) add(match.index, match[0], 'ș, ț with a comma below');
  return findings.sort((a, b) => a.line - b.line);
}

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: folder,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
  .split('\0')
  .filter((file) => (isCode(file) || isProse(file)) && !excluded.test(file) && existsSync(join(folder, file)))
  .sort();

const isIn = (file, path) => file === path || path === '' || file.startsWith(path.endsWith('/') ? path : `${path}/`);
for (const file of files) {
  if (paths.length > 0 && !paths.some((path) => isIn(file, path))) continue;
  const findings = findingsOf(file);
  for (const { line, found, instead } of findings) console.error(`${file}:${line}: "${found}": write ${instead}`);
  if (findings.length > 0) process.exitCode = 1;
}

// Deprecated API of a package: exports, and members of exports, with `@deprecated since 1.4.0, use sendMail`. What is deprecated works for
// one whole major: since 1.4.0 until 3.0.0.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { Node, Project, SyntaxKind } from 'ts-morph';
import { root } from './workspace.mjs';

/** The first version that may remove what `since` deprecated. */
export function removalOf(since) {
  const { major, minor, patch } = semver.parse(since);
  return `${minor === 0 && patch === 0 ? major + 1 : major + 2}.0.0`;
}

/** Reads the text of a `@deprecated` tag; throws if it has another form. `where` is for the message. */
function parseTag(text, where) {
  const plain = text
    .replace(/\{@link\s+([^}|]+?)\s*(?:\|[^}]*)?\}/g, '$1')
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .trim();
  const { since, replacement } = /^since (?<since>\d+\.\d+\.\d+)(?:[,;:] use (?<replacement>.+?))?\.?$/.exec(plain)?.groups ?? {};
  if (since === undefined)
    throw new Error(`${where}: write @deprecated since <version>, use <replacement>; it is "@deprecated ${plain}"`);
  return { since, removedIn: removalOf(since), ...(replacement === undefined ? {} : { replacement }) };
}

const tagOf = (node) =>
  Node.isJSDocable(node)
    ? node
        .getJsDocs()
        .flatMap((doc) => doc.getTags())
        .find((tag) => tag.getTagName() === 'deprecated')
    : undefined;

/** Members of an exported interface, class or type of an object. */
function membersOf(declaration) {
  if (Node.isInterfaceDeclaration(declaration) || Node.isClassDeclaration(declaration)) return declaration.getMembers();
  if (Node.isTypeAliasDeclaration(declaration))
    return declaration.getTypeNode()?.asKind(SyntaxKind.TypeLiteral)?.getMembers() ?? [];
  return [];
}

/** Deprecations of one package. `base` is the folder of the workspace. */
export function deprecationsIn(pkg, base = root) {
  // A package without the tag isn't parsed.
  if (!pkg.sources.some((file) => readFileSync(join(base, file), 'utf8').includes('@deprecated'))) return [];
  const project = new Project({
    compilerOptions: { allowImportingTsExtensions: true, noEmit: true },
    skipAddingFilesFromTsConfig: true,
  });
  for (const file of pkg.sources) project.addSourceFileAtPath(join(base, file));
  const found = new Map();
  for (const target of Object.values(pkg.manifest.exports)) {
    const source = target['storeloom-source'];
    // Slices of the client are generated from routes, which have a kind of their own.
    if (source === undefined || source.includes('*')) continue;
    const entry = project.getSourceFileOrThrow(join(base, pkg.dir, source));
    for (const [name, declarations] of entry.getExportedDeclarations())
      for (const declaration of declarations) {
        const add = (called, node) => {
          const tag = tagOf(node);
          if (tag === undefined) return;
          const where = `${node.getSourceFile().getFilePath()}:${node.getStartLineNumber()}`;
          found.set(called, { kind: 'api', name: called, package: pkg.name, ...parseTag(tag.getCommentText() ?? '', where) });
        };
        // The comment of a constant is that of its statement.
        add(name, Node.isVariableDeclaration(declaration) ? declaration.getVariableStatementOrThrow() : declaration);
        for (const member of membersOf(declaration))
          if (typeof member.getName === 'function') add(`${name}.${member.getName()}`, member);
      }
  }
  return [...found.values()];
}

const keyOf = ({ kind, name, package: owner = '' }) => `${kind} ${owner} ${name}`;

/**
 * Merges the present deprecations into the record of all of them: `live` are served, `gone` were removed. Throws if one was removed before
 * its version.
 */
export function mergeDeprecations(record, present, version) {
  const live = new Map(present.map((one) => [keyOf(one), one]));
  const gone = record.filter((one) => !live.has(keyOf(one)));
  const early = gone.filter(({ removedIn }) => semver.lt(version, removedIn));
  if (early.length > 0)
    throw new Error(
      early
        .map(
          (one) =>
            `${one.package ?? one.kind} ${one.name} was removed in ${version}; deprecated since ${one.since}, it works until ${one.removedIn}`,
        )
        .join('\n'),
    );
  const sorted = (list) => list.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { live: sorted([...live.values()]), gone: sorted(gone) };
}

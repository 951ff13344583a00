/**
 * Import rules. Tests, configurations and example shops may import more than product code. Imports of workspace packages resolve to their
 * sources, so a package is identified by its folder.
 */
const test =
  '\\.test\\.tsx?$|^(packages|plugins|examples)/[^/]+/test/|^examples/[^/]+/[^/]+\\.config\\.ts$|^examples/shop-[^/]+/';
/** Packages and entries that tests alone import. */
const testing = '^packages/(testing|embedded-postgres/src/testing)/';
const contract = '^(plugins|examples)/[^/]+/src/contract\\.ts$';

/** Packages of this repository that a package's code may import besides itself. Plugins have a rule of their own. */
const mayImport = {
  'plugin-sdk': [],
  commerce: ['plugin-sdk'],
  'embedded-postgres': [],
  snapshot: ['embedded-postgres'],
  openapi: ['plugin-sdk'],
  'theme-sdk': ['plugin-sdk'],
  'mail-smtp': [],
  keys: ['plugin-sdk'],
  licence: ['plugin-sdk', 'keys'],
  'outbound-http': ['plugin-sdk'],
  'files-s3': ['core', 'plugin-sdk'],
  data: ['plugin-sdk'],
  'migration-draft': ['plugin-sdk', 'data'],
  core: ['plugin-sdk', 'data', 'openapi', 'theme-sdk', 'keys', 'licence', 'outbound-http'],
  testing: ['core', 'data', 'migration-draft', 'embedded-postgres', 'licence', 'mail-smtp', 'plugin-sdk'],
  cli: [
    'core',
    'migration-draft',
    'openapi',
    'plugin-sdk',
    'keys',
    'licence',
    'embedded-postgres',
    'files-s3',
    'mail-smtp',
    'snapshot',
  ],
  client: [],
  storefront: ['theme-sdk', 'client'],
  'admin-kit': ['client'],
  admin: ['admin-kit', 'client'],
  'super-admin': ['admin-kit', 'client'],
  registry: [],
  'create-storeloom': [],
};

/** Entries of a plugin that run in other environments, with the additional packages they may import. */
const entries = { storefront: ['theme-sdk'], admin: ['admin-kit'], client: ['client'] };
const entry = (name) => `^(plugins|examples)/[^/]+/src/${name}(\\.tsx?$|/)`;
const packageFolders = (names) => names.map((name) => `^packages/${name}/`);

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules in a cycle see uninitialised exports. Type-only imports are erased and may form cycles.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-resolved',
      comment: 'The import does not resolve: a misspelt file, or a package missing in package.json.',
      severity: 'error',
      from: { pathNot: '^storeloom\\.config\\.ts$' },
      to: { couldNotResolve: true },
    },
    {
      name: 'undeclared-package',
      comment: 'The import is not declared in package.json, or only as a development dependency.',
      severity: 'error',
      from: { path: '^(packages|plugins|examples)/', pathNot: test },
      // The SDK and other plugins are peers, and development dependencies too so that they are linked here.
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'],
        dependencyTypesNot: ['type-only', 'npm-peer'],
        pathNot: '^(packages|plugins)/',
      },
    },
    {
      name: 'by-name-only',
      comment:
        'Another package is imported by its name, so that its exports decide what may be seen; a path would go round them.',
      severity: 'error',
      from: { path: '^(packages|plugins|examples)/([^/]+)/', pathNot: test },
      to: { path: '^(packages|plugins|examples)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
    },
    {
      name: 'tests-by-name-only',
      comment:
        'A test imports another package by its name too; of its folders only the one with test helpers, which is not published.',
      severity: 'error',
      from: { path: '^(packages|plugins|examples)/([^/]+)/' },
      to: { path: '^(packages|plugins|examples)/', pathNot: ['^$1/$2/', '^[^/]+/[^/]+/test/'], dependencyTypes: ['local'] },
    },
    ...Object.entries(mayImport).map(([name, allowed]) => ({
      name: `${name}-imports`,
      comment: `${name} may import ${allowed.length > 0 ? allowed.join(' and ') : 'no other package of this repository'}.`,
      severity: 'error',
      from: { path: `^packages/${name}/`, pathNot: test },
      to: { path: '^(packages|plugins|examples)/', pathNot: packageFolders([name, ...allowed]) },
    })),
    {
      name: 'plugin-imports',
      comment:
        'A plugin imports plugin-sdk, commerce, its own files, and contracts of other plugins; never core, never the inside of a plugin.',
      severity: 'error',
      from: { path: '^(plugins|examples)/([^/]+)/', pathNot: [test, ...Object.keys(entries).map(entry)] },
      to: {
        path: '^(packages|plugins|examples)/',
        pathNot: [...packageFolders(['plugin-sdk', 'commerce']), '^$1/$2/', contract],
      },
    },
    ...Object.entries(entries).map(([name, allowed]) => ({
      name: `plugin-${name}-imports`,
      comment: `A plugin's ${name} entry imports ${allowed.join(', ')}, plugin-sdk, its own files, and contracts.`,
      severity: 'error',
      from: { path: `^(plugins|examples)/([^/]+)/src/${name}(\\.tsx?$|/)`, pathNot: test },
      to: {
        path: '^(packages|plugins|examples)/',
        pathNot: [...packageFolders(['plugin-sdk', 'commerce', ...allowed]), '^$1/$2/', contract],
      },
    })),
    {
      name: 'contract-imports',
      comment: 'A contract imports plugin-sdk, commerce and other contracts only: an import of it must not load the plugin.',
      severity: 'error',
      from: { path: contract },
      to: { path: '^(packages|plugins|examples)/', pathNot: [...packageFolders(['plugin-sdk', 'commerce']), contract] },
    },
    {
      name: 'core-internal',
      comment: 'What core shares with @storeloom/testing is no interface: nothing else imports it.',
      severity: 'error',
      from: { path: '^(packages|plugins|examples)/', pathNot: '^packages/(core|testing)/' },
      to: { path: '^packages/core/src/internal\\.ts$' },
    },
    {
      name: 'release-commands',
      comment:
        'Upgrade, snapshot and rollback work when no module of the release can be loaded: they import neither core nor plugins.',
      severity: 'error',
      from: { path: '^packages/cli/src/(release|processes)/', pathNot: test },
      to: { path: '^(packages/(core|openapi|plugin-sdk|licence|files-s3|mail-smtp)|plugins|examples)/' },
    },
    {
      name: 'release-commands-load',
      comment: 'Nor does a module that these commands import.',
      severity: 'error',
      from: { path: '^packages/cli/src/(release|processes)/', pathNot: test },
      to: { path: '^(packages/core|plugins)/', reachable: true },
    },
    {
      name: 'no-tests-in-code',
      comment: 'Product code must not import tests or their helpers.',
      severity: 'error',
      from: { path: '^(packages|plugins|examples)/', pathNot: [test, testing] },
      to: { path: [test, testing] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['storeloom-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};

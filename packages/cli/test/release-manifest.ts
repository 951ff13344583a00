/** The manifest of a release that changes and demands nothing. */
export const releaseManifest = (version: string, packages: Readonly<Record<string, string>> = {}) => ({
  version,
  packages,
  upgradesFrom: '>=1.0.0',
  node: '>=24.7',
  postgres: '>=15',
  contracts: { pluginSdk: version, themeSdk: version },
  configuration: { removed: [] },
  deprecations: [],
  removals: [],
  slots: { removed: [], required: [] },
  migrations: {},
  codemods: [],
  notes: [],
});

// `storeloom-source` leads to the sources and is for this workspace only: what is packed has no sources.
function withoutSources(exports) {
  if (typeof exports !== 'object' || exports === null) return exports;
  const entries = Object.entries(exports).filter(([condition]) => condition !== 'storeloom-source');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutSources(value)]));
}

module.exports = {
  hooks: {
    beforePacking(manifest) {
      return { ...manifest, exports: withoutSources(manifest.exports) };
    },
  },
};

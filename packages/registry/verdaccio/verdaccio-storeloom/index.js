// Verdaccio takes plugins from a folder of this name. The plugin itself is built with the rest of the package.
export { default } from '@storeloom/registry/verdaccio';

export { type ThemeDescription, type ThemeProblem, themeDescription } from './description.ts';
export { loadThemes, type ThemesOptions } from './load.ts';

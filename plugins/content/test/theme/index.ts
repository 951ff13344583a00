export { default } from '../theme-stand-in.ts';

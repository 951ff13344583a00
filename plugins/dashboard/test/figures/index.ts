export { default } from '../figures-stand-in.ts';

export { default } from '../orders-stand-in.ts';

export { s3Store } from './store.ts';

export { maskEmail, normalEmail, normalPhone } from './contact.ts';

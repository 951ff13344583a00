export { type Address, addressFields, type PostalAddress, postalFields } from './address.ts';
export { maskEmail, normalEmail, normalPhone } from './contact.ts';

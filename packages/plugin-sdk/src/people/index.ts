export { type Address, addressFields, type PostalAddress, postalFields, vatIdField } from './address.ts';
export { maskEmail, normalEmail, normalPhone } from './contact.ts';

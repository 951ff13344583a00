export { fileTransport, MailRefusedError, type MailTransport, mailTransport, smtpTransport } from './transport.ts';

export { createMailer, type LinkKeeper, type Mailer } from './mailer.ts'
export { createSmtpTransport, type MailMessage, type SmtpTransport } from './smtp-transport.ts'

export { createMailer, type LinkKeeper, type Mailer, type MailMessage } from './mailer.ts'
export { createSmtpTransport, type SmtpTransport } from './smtp-transport.ts'

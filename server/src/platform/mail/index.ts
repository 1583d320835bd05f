export { createMailer, type LinkKeeper, type Mailer, type MailMessage } from './mailer.ts'
export { createSmtpTransport } from './smtp-transport.ts'

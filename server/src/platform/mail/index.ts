export {
	createMailer,
	createSmtpTransport,
	type LinkKeeper,
	type Mailer,
	type MailMessage,
	type SmtpTransport,
} from './mailer.ts'

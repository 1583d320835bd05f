import type { MailMessage } from '../../../platform/mail/mailer.ts'
import type { AccountToken } from './tokens/account-tokens.ts'

/** The e-mails to people. The secret of a link is in its fragment, which keeps it out of logs and proxies. */
export function verifyMessage(baseUrl: string, to: string, token: AccountToken): MailMessage {
	const link = `${baseUrl}/ui/verify#token=${token.secret}`
	const text = `Somebody, hopefully you, registered at ${baseUrl} with this address.

Confirm that it is yours, within 24 hours:
${link}

If it was not you, ignore this message.
`
	return { to, subject: 'Confirm your e-mail address', text, link, expiresAtMs: token.expiresAtMs }
}

export function resetMessage(baseUrl: string, to: string, token: AccountToken): MailMessage {
	const link = `${baseUrl}/ui/reset#token=${token.secret}`
	const text = `Somebody, hopefully you, asked to reset your password at ${baseUrl}.

Choose a new one, within 30 minutes:
${link}

If it was not you, ignore this message: your password stays as it is.
`
	return { to, subject: 'Reset your password', text, link, expiresAtMs: token.expiresAtMs }
}

export function passwordChangedMessage(baseUrl: string, to: string): MailMessage {
	const text = `Your password at ${baseUrl} was changed, and your other sessions were signed out.

If it was not you, reset it now at ${baseUrl}/ui/ and tell an operator of the instance.
`
	return { to, subject: 'Your password was changed', text }
}

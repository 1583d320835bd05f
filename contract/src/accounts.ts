import { Type } from 'typebox'
import { people } from './access.ts'
import { Email, Password, User } from './auth.ts'
import { Nullable, Strict } from './common.ts'
import { operation } from './operation.ts'

const MailToken = Type.String({
	maxLength: 200,
	description: 'What follows `#token=` in the link; single use',
})

export const accountOperations = {
	verify: operation({
		id: 'auth.verify',
		method: 'POST',
		path: '/auth/verify',
		summary: 'Confirm an e-mail address by the link that was sent to it',
		description:
			'The link works once, for 24 hours. People can work before they confirm, but get nothing just because an address matches.',
		access: { public: true },
		body: Strict({ token: MailToken }),
		status: 200,
		response: Strict({ email: Type.String() }, { title: 'VerifiedAddress' }),
		problems: ['mail_link_invalid'],
	}),
	resend: operation({
		id: 'auth.verify.resend',
		method: 'POST',
		path: '/auth/verify/resend',
		summary: 'Send the link that confirms your address again',
		description: 'Answers the same when the address is confirmed already; then nothing is sent.',
		access: people(),
		status: 202,
		response: null,
	}),
	forgot: operation({
		id: 'auth.password.forgot',
		method: 'POST',
		path: '/auth/password/forgot',
		summary: 'Send a link that resets the password',
		description:
			'Always answers 202 at once, whether or not the address has an account. A person gets at most one link a minute, then fewer; earlier links work until they expire.',
		access: { public: true },
		body: Strict({ email: Email }),
		status: 202,
		response: null,
		problems: ['password_login_off'],
	}),
	reset: operation({
		id: 'auth.password.reset',
		method: 'POST',
		path: '/auth/password/reset',
		summary: 'Set a new password by the link that was sent',
		description:
			'The link works once, for 30 minutes. Every session of the person ends, other reset links too, and the address counts as confirmed. It also gives a password to an account that has none.',
		access: { public: true },
		body: Strict({ token: MailToken, password: Password }),
		status: 204,
		response: null,
		problems: ['mail_link_invalid', 'password_login_off', 'weak_password'],
	}),
	preferences: operation({
		id: 'auth.me.update',
		method: 'PATCH',
		path: '/auth/me',
		summary: 'Choose the time zone in which the dashboard shows you times',
		description: 'It holds in every workspace and browser of the person; what is stored does not change.',
		access: people(),
		body: Strict({
			time_zone: Nullable(
				Type.String({
					maxLength: 64,
					examples: ['Europe/Berlin'],
					description: 'IANA name; null: that of the browser',
				}),
			),
		}),
		status: 200,
		response: User,
	}),
	change: operation({
		id: 'auth.password.change',
		method: 'POST',
		path: '/auth/password/change',
		summary: 'Change your own password',
		description: 'Your other sessions end. Wrong passwords count like failed sign-ins.',
		access: people(),
		body: Strict({
			current_password: Type.String({ minLength: 1, maxLength: 1024 }),
			new_password: Password,
		}),
		status: 204,
		response: null,
		problems: ['no_password', 'wrong_password', 'weak_password'],
	}),
}

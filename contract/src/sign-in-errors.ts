/**
 * Why a sign-in with another account failed: the values of `error` at `/ui/sign-in`. Text from a provider never gets there.
 * `docs/sign-in.md` contains this table, and a test keeps the two equal.
 */
export const signInErrors = {
	provider_unknown: {
		title: 'This way to sign in does not exist',
		remedy: 'Choose one that the page shows; the operator may have removed this one.',
	},
	flow_invalid: {
		title: 'This sign-in has expired or was started in another browser',
		remedy:
			'Start again; a sign-in must be completed within 10 minutes, in the browser where it was started.',
	},
	provider_unreachable: {
		title: 'The provider does not answer',
		remedy: 'Try again in a moment; nothing was changed.',
	},
	provider_unsuitable: {
		title: 'The provider cannot be used safely',
		remedy:
			'The operator can find the reason in the log; for example, a provider without PKCE (S256) is refused.',
	},
	provider_refused: {
		title: 'The sign-in was cancelled, or the provider refused it',
		remedy: 'Start again and consent, or ask the operator of the provider.',
	},
	answer_invalid: {
		title: "The provider's answer is not valid",
		remedy: 'Start again; if it happens again, the operator can find the reason in the log.',
	},
	email_missing: {
		title: 'The provider sent no e-mail address',
		remedy: 'The operator must add the scope `email`. On GitHub, set a verified primary address.',
	},
	email_unverified: {
		title: 'The provider has not verified your e-mail address',
		remedy: 'Verify the address at the provider, then sign in again.',
	},
	groups_incomplete: {
		title: 'The provider did not send all of your groups',
		remedy:
			'Your memberships are unchanged. At the provider, the groups that it sends must be limited, for example to those assigned to this application.',
	},
	account_exists: {
		title: 'An account with this e-mail address already exists',
		remedy: 'Sign in to it the usual way, then link this provider in your account.',
	},
	identity_taken: {
		title: 'This provider account is linked to somebody else',
		remedy: 'Sign in as that person and unlink it first.',
	},
	signup_closed: {
		title: 'You do not have an account here',
		remedy: 'Ask an admin of a workspace for an invitation to the address that the provider knows.',
	},
	no_workspace: {
		title: 'You do not belong to a workspace',
		remedy:
			'Ask an admin of a workspace for an invitation to your address, and sign in again: that accepts it. Or ask the person who manages groups at the provider.',
	},
	setup_required: {
		title: 'This instance has no operator yet',
		remedy: 'Open the one-time setup link that the program prints when it starts.',
	},
	session_ended: {
		title: 'The session that started the link has ended',
		remedy: 'Sign in again, then link the provider once more.',
	},
	failed: { title: 'The sign-in failed', remedy: 'Start again; the log has the cause.' },
} as const

export type SignInErrorCode = keyof typeof signInErrors

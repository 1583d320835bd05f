/** Values that programs and pages use directly. This file imports nothing, so that the dashboard can load it. */

/** The possible retention periods of telemetry, in days. */
export const retentionClasses = [1, 7, 30, 90, 365] as const

/** Why the current definition of a tool is not shown to agents. */
export const pinReasons = {
	changed: 'The definition changed since it was approved.',
	incompatible: 'The definition changed so that calls valid under the approved one may be refused.',
	new: 'The tool appeared after agents were given all tools of the server, or a grant names it.',
	hidden_text: 'The definition contains text that people cannot see.',
	rejected: 'Somebody rejected the definition.',
} as const
export type PinReason = keyof typeof pinReasons

/** The prefix of each kind of secret; a random body of 43 characters and a checksum follow. */
export const tokenPrefixes = {
	/** Platform and agent keys. */
	key: 'sk_service_',
	ingestToken: 'it_service_',
	/** Refreshes a signed-in session. */
	session: 'rt_service_',
	/** The one-time setup link. */
	setup: 'su_service_',
	/** OAuth. */
	authorizationCode: 'ac_service_',
	accessToken: 'at_service_',
	refreshToken: 'or_service_',
	/** Links in e-mails: to verify an address, to reset a password, to accept an invitation. */
	verification: 'vt_service_',
	passwordReset: 'pw_service_',
	invitation: 'iv_service_',
	/** A link that shows one session. */
	share: 'sh_service_',
} as const
export type TokenPrefix = (typeof tokenPrefixes)[keyof typeof tokenPrefixes]

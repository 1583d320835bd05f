/** Values that programs and pages use as such. This file imports nothing, so that the dashboard can load it. */

/** How many days telemetry can be kept. */
export const retentionClasses = [1, 7, 30, 90, 365] as const

/** How each kind of secret begins; a random body of 43 characters and a checksum follow. */
export const tokenPrefixes = {
	/** Platform and agent keys. */
	key: 'sk_service_',
	ingestToken: 'it_service_',
	/** Keeps a signed-in session going. */
	session: 'rt_service_',
	/** The one-time setup address. */
	setup: 'su_service_',
	/** OAuth. */
	authorizationCode: 'ac_service_',
	accessToken: 'at_service_',
	refreshToken: 'or_service_',
	/** Links by mail: to verify an address, to reset a password, to accept an invitation. */
	verification: 'vt_service_',
	passwordReset: 'pw_service_',
	invitation: 'iv_service_',
	/** A link that shows one session. */
	share: 'sh_service_',
} as const
export type TokenPrefix = (typeof tokenPrefixes)[keyof typeof tokenPrefixes]

import { readFileSync } from 'node:fs'
import { Problem } from '../../../platform/errors.ts'
import type { IdentityContext } from '../identity-context.ts'

/** The 3,000 most common passwords of at least 8 characters (from zxcvbn-ts, MIT), lower case. */
const common: ReadonlySet<string> = new Set(
	readFileSync(new URL('../data/common-passwords.txt', import.meta.url), 'utf8').split('\n'),
)

/** Throws `weak_password`. There are no composition rules, as they make passwords worse. */
export function refuseWeakPassword(password: string, email: string): void {
	const lower = password.toLowerCase()
	if (password.length < 8) throw new Problem('weak_password', 'The password needs at least 8 characters.')
	if (common.has(lower))
		throw new Problem('weak_password', 'This password is among the 3,000 most common ones.')
	if (lower === email || lower === email.split('@')[0])
		throw new Problem('weak_password', 'The password is the e-mail address.')
}

/** Refuses if the instance does not allow passwords. Called by everything that uses or sets one. */
export function requirePasswords({ config }: Pick<IdentityContext, 'config'>): void {
	if (config.PASSWORD_LOGIN === 'off') throw new Problem('password_login_off')
}

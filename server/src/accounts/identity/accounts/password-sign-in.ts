import { Problem } from '../../../platform/errors.ts'
import type { IdentityContext } from '../identity-context.ts'

/** Refuses where the instance takes no passwords. Every way to use or set one asks here. */
export function requirePasswords({ config }: Pick<IdentityContext, 'config'>): void {
	if (config.PASSWORD_LOGIN === 'off') throw new Problem('password_login_off')
}

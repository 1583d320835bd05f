import type { IdentityConfig } from './context.ts'

/** The address that people see, without a slash at its end: links lead there, tokens are good for it. */
export function publicAddress({
	PUBLIC_URL,
	HOST,
	PORT,
}: Pick<IdentityConfig, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
	return PUBLIC_URL?.replace(/\/$/, '') ?? `http://${HOST}:${PORT}`
}

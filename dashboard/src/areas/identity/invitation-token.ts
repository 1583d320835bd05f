import { takeLinkSecret } from './link-secret.ts'

const place = 'signalbox.invitation'

/** The secret of the link, or the one that was stored during sign-in, which only this tab can read. */
export function takeInvitationToken(): string {
	const token = takeLinkSecret()
	if (token) sessionStorage.setItem(place, token)
	return token || (sessionStorage.getItem(place) ?? '')
}

export function forgetInvitationToken(): void {
	sessionStorage.removeItem(place)
}

import { takeLinkSecret } from '../identity/link-secret.ts'

const place = 'signalbox.authorize'

/** What a client asks for, sealed; put aside for the way through sign-in, where only this tab can read it. */
export function takeAskedRequest(): string {
	const request = takeLinkSecret()
	if (request) sessionStorage.setItem(place, request)
	return request || (sessionStorage.getItem(place) ?? '')
}

export function forgetAskedRequest(): void {
	sessionStorage.removeItem(place)
}

import { takeLinkSecret } from '../identity/link-secret.ts'

const place = 'signalbox.authorize'

/** A client's sealed authorization request. It is stored during sign-in, where only this tab can read it. */
export function takeAskedRequest(): string {
	const request = takeLinkSecret()
	if (request) sessionStorage.setItem(place, request)
	return request || (sessionStorage.getItem(place) ?? '')
}

export function forgetAskedRequest(): void {
	sessionStorage.removeItem(place)
}

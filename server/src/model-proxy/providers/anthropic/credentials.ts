/** A stored key goes into `x-api-key`. */
export function keyHeader(key: string): [string, string] {
	return ['x-api-key', key]
}

/** The caller's own key stays in the header it came in: subscription tokens work only as a bearer. */
export function ownKeyHeader(bearer: string | null, apiKey: string | null): [string, string] | null {
	if (apiKey !== null) return ['x-api-key', apiKey]
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

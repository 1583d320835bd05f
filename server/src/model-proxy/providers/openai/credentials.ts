/** A stored key goes into `Authorization`. */
export function keyHeader(key: string): [string, string] {
	return ['authorization', `Bearer ${key}`]
}

/** The caller's own key, in whichever header its client put it. */
export function ownKeyHeader(bearer: string | null, apiKey: string | null): [string, string] | null {
	const key = bearer ?? apiKey
	return key === null ? null : keyHeader(key)
}

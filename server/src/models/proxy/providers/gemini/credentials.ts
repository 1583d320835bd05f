import type { OwnKeys } from '../../caller-keys.ts'
import type { HeaderList } from '../provider.ts'

/** A stored key goes into `x-goog-api-key`. */
export function authorize(key: string): HeaderList {
	return ['x-goog-api-key', key]
}

/** The caller's own key stays where its client put it; the query string is passed on as it is. */
export function ownKeyHeaders({ googleKey, queryKey, apiKey, bearer }: OwnKeys): HeaderList | null {
	const key = googleKey ?? apiKey
	if (key !== null) return authorize(key)
	if (queryKey !== null) return []
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

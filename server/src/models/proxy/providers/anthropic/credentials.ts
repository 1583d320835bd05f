import type { OwnKeys } from '../../caller-keys.ts'
import type { HeaderList } from '../provider.ts'

/** A stored key goes into `x-api-key`. */
export function authorize(key: string): HeaderList {
	return ['x-api-key', key]
}

/** The caller's own key stays in the header it came in: subscription tokens work only as a bearer. */
export function ownKeyHeaders({ bearer, apiKey }: OwnKeys): HeaderList | null {
	if (apiKey !== null) return authorize(apiKey)
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

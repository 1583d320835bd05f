import type { OwnKeys } from '../../caller-keys.ts'
import type { HeaderList } from '../provider.ts'

/** A stored key goes into `Authorization`. */
export function authorize(key: string): HeaderList {
	return ['authorization', `Bearer ${key}`]
}

/** The caller's own key, in whichever header its client put it. */
export function ownKeyHeaders({ bearer, apiKey }: OwnKeys): HeaderList | null {
	const key = bearer ?? apiKey
	return key === null ? null : authorize(key)
}

import { eventPatterns, eventTypes } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import { authorize, type Principal } from '../../platform/http/index.ts'
import { matches } from './matches.ts'

/** Why somebody may not see a type of event, or null. */
export function refusalOf(principal: Principal, type: string): Problem | null {
	return authorize(eventTypes[type]?.access ?? { kinds: [] }, principal)
}

/**
 * The types that a client gets: those it names, as far as it may see them; without names, all but the live ones. Throws
 * `invalid_request` for an unknown name and `forbidden` for one that it may not see at all.
 */
export function wantedTypes(principal: Principal, text: string | undefined): ReadonlySet<string> {
	const patterns = text === undefined ? ['*'] : text.split(',')
	const allowed = Object.keys(eventTypes).filter((type) => refusalOf(principal, type) === null)
	const wanted = patterns.flatMap((pattern) => {
		if (!Object.hasOwn(eventTypes, pattern) && !eventPatterns.includes(pattern)) throw unknownType(pattern)
		const found = allowed.filter((type) => matches([pattern], type))
		if (found.length === 0) throw refusedType(principal, pattern)
		return found.filter((type) => pattern === type || !eventTypes[type]?.live)
	})
	return new Set(wanted)
}

function unknownType(pattern: string): Problem {
	const detail = `has ${JSON.stringify(pattern.slice(0, 100))}, which is no type of event`
	return new Problem('invalid_request', `types: ${detail}.`, {
		errors: [{ pointer: '/types', code: 'event_type', detail }],
	})
}

function refusedType(principal: Principal, pattern: string): Problem {
	const first = Object.keys(eventTypes).find((type) => matches([pattern], type)) as string
	const reason = refusalOf(principal, first)?.message ?? 'It is not for you.'
	return new Problem('forbidden', `${pattern}: ${reason}`)
}

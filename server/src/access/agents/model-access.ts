import type { agentOperations, BodyOf } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'

/** Which models an agent may call: all, or by the name of a connection those that match one of the patterns. */
export type ModelAccess =
	| { mode: 'all' }
	| { mode: 'selected'; connections: ReadonlyMap<string, readonly string[]> }

type ModelAccessDocument = NonNullable<BodyOf<(typeof agentOperations)['create']>['model_access']>

export const everyModel: ModelAccess = { mode: 'all' }
export const everyModelText = JSON.stringify(everyModel)

/** The text under which the store keeps it. Throws 400 for connections with mode `all` and for one named twice. */
export function modelAccessText({ mode, connections }: ModelAccessDocument): string {
	if (mode === 'all') {
		if (connections) throw wrong('must be absent with the mode all')
		return everyModelText
	}
	const names = (connections ?? []).map(({ name }) => name)
	if (new Set(names).size < names.length) throw wrong('must name each connection once')
	return JSON.stringify({ mode, connections: connections ?? [] })
}

export function presentModelAccess(text: string): ModelAccessDocument {
	return JSON.parse(text) as ModelAccessDocument
}

export function toModelAccess(text: string): ModelAccess {
	if (text === everyModelText) return everyModel
	const { connections = [] } = presentModelAccess(text)
	return { mode: 'selected', connections: new Map(connections.map(({ name, models }) => [name, models])) }
}

function wrong(detail: string): Problem {
	const pointer = '/model_access/connections'
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'conflict', detail }],
	})
}

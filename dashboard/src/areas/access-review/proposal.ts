import type { Schemas } from '../../api.ts'

export type ProposedGrant = Schemas['ProposedGrant']
export type ProposedPair = ProposedGrant | Schemas['ProposedRemoval']
export type ProposedChange = ProposedPair | Schemas['ProposedToolset']

/** The fields of a grant that a proposal can change. */
export type GrantFields = Omit<ProposedGrant, 'op' | 'server_id' | 'agent_uuid'>

interface Pair {
	server_id: string
	agent_uuid: string
}

const isOf = (pair: Pair) => (change: ProposedPair) =>
	change.server_id === pair.server_id && change.agent_uuid === pair.agent_uuid

/** The proposal with these fields changed in the pair's grant, in addition to earlier changes. */
export function withGrant(
	changes: readonly ProposedPair[],
	pair: Pair,
	op: ProposedGrant['op'],
	fields: GrantFields,
): ProposedPair[] {
	const before = changes.find(isOf(pair))
	const kept = before && before.op !== 'delete' ? before : {}
	return [...withoutPair(changes, pair), { ...kept, op, ...pair, ...fields }]
}

/** The proposal with the pair's grant removed. */
export function withRemoval(changes: readonly ProposedPair[], pair: Pair): ProposedPair[] {
	return [...withoutPair(changes, pair), { op: 'delete', ...pair }]
}

export function withoutPair(changes: readonly ProposedPair[], pair: Pair): ProposedPair[] {
	const isPair = isOf(pair)
	return changes.filter((change) => !isPair(change))
}

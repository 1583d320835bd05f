import type { Schemas } from '../../api.ts'

export type ProposedGrant = Schemas['ProposedGrant']
export type ProposedPair = ProposedGrant | Schemas['ProposedRemoval']
export type ProposedChange = ProposedPair | Schemas['ProposedToolset']

/** What of a grant a proposal changes. */
export type GrantFields = Omit<ProposedGrant, 'op' | 'server_id' | 'agent_uuid'>

interface Pair {
	server_id: string
	agent_uuid: string
}

const isOf = (pair: Pair) => (change: ProposedPair) =>
	change.server_id === pair.server_id && change.agent_uuid === pair.agent_uuid

/** The proposal with these fields of the pair's grant changed, beside what was proposed for it before. */
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

/** The proposal in which the pair's grant is taken away. */
export function withRemoval(changes: readonly ProposedPair[], pair: Pair): ProposedPair[] {
	return [...withoutPair(changes, pair), { op: 'delete', ...pair }]
}

export function withoutPair(changes: readonly ProposedPair[], pair: Pair): ProposedPair[] {
	const isPair = isOf(pair)
	return changes.filter((change) => !isPair(change))
}

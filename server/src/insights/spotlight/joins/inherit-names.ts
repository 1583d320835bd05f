import { type Names, placeOf, type SeenSpan } from './view.ts'

/**
 * Names that an ancestor gives to the calls beneath it: many libraries say session, user, agent and tags once, on the root or
 * on the span of the agent. The nearest ancestor that says one counts, and what a call says itself counts before it.
 */

/** Parents may form a circle: whoever sends them chooses the ids. */
const mostLevels = 100

/** What a call has with what is above it. */
export interface Named {
	names: Names
	/** Of its ancestors; its own attributes come before them. */
	tags: Readonly<Record<string, string>>
}

/** `spans`, by `placeOf`, has all that was found of the call's trace. */
export function namesFromAbove(call: SeenSpan, spans: ReadonlyMap<string, SeenSpan>): Named {
	let { level, session, user, agentId, agentName } = call.names
	let tags: Readonly<Record<string, string>> = {}
	let above = parentOf(call, spans)
	for (let height = 0; above && height < mostLevels; height++) {
		const said = above.names
		if (level < 2 && said.level >= 2) {
			session = said.session
			level = 3
		}
		if (user === '') user = said.user
		if (agentId === '' && agentName === '') ({ agentId, agentName } = said)
		tags = { ...above.tags, ...tags }
		above = parentOf(above, spans)
	}
	return { names: { level, session, user, agentId, agentName }, tags }
}

export const parentOf = ({ trace, parent }: SeenSpan, spans: ReadonlyMap<string, SeenSpan>) =>
	spans.get(placeOf({ trace, span: parent }))

/** A model call that requested tools or received their results. */
export interface ModelTurn {
	traceId: string
	spanId: string
	startNs: bigint
	sessionId: string
	agentId: string
	toolUses: readonly { id: string; name: string; argumentsHash: string }[]
	/** Ids of the tool uses whose results it contains. */
	resultIds: readonly string[]
}

/** A tool call through the gateway. */
export interface ToolRun {
	traceId: string
	spanId: string
	startNs: bigint
	agentId: string
	tool: string
	status: string
	/** The id of the tool use, if the client sent it; otherwise ''. */
	toolUseId: string
	/** See `hashOfArguments`; '' if it is not known. */
	argumentsHash: string
}

/**
 * `exact`: the client sent the id of the tool use. `strong`: the only call of that tool with those arguments by that agent in that
 * time, which no other tool use can have caused. `weak`: there are such calls, but it is not known which one it is.
 */
export type Confidence = 'exact' | 'strong' | 'weak'

export interface ToolLink {
	id: string
	name: string
	askedBy: ModelTurn
	runs: readonly ToolRun[]
	/** Null: nothing ran through the gateway. */
	confidence: Confidence | null
	/** The next model call that contains the result. */
	returnedIn: ModelTurn | null
}

interface Use extends Pick<ToolLink, 'id' | 'name' | 'askedBy' | 'returnedIn'> {
	key: string
}

/**
 * Links the tools that models requested to the calls that ran, and to the model calls that received the results. Ambiguous pairs
 * are not guessed.
 */
export function linkTools(turns: readonly ModelTurn[], runs: readonly ToolRun[]): ToolLink[] {
	const uses = usesIn([...turns].sort((a, b) => (a.startNs < b.startNs ? -1 : 1)))
	const byId = Map.groupBy(
		runs.filter(({ toolUseId }) => toolUseId !== ''),
		({ toolUseId }) => toolUseId,
	)
	const open = uses.filter(({ id, askedBy }) => !exactRuns(byId, id, askedBy))
	const anonymous = Map.groupBy(
		runs.filter(({ toolUseId }) => toolUseId === ''),
		keyOfRun,
	)
	const candidates = new Map(open.map((use) => [use, candidatesOf(use, anonymous)]))
	const claims = new Map<ToolRun, number>()
	for (const run of [...candidates.values()].flat()) claims.set(run, (claims.get(run) ?? 0) + 1)
	return uses.map(({ key: _, ...use }, i) => {
		const exact = exactRuns(byId, use.id, use.askedBy)
		if (exact) return { ...use, runs: exact, confidence: 'exact' }
		const found = candidates.get(uses[i] as Use) ?? []
		const [only] = found
		if (only && found.length === 1 && claims.get(only) === 1)
			return { ...use, runs: [only], confidence: 'strong' }
		return { ...use, runs: [], confidence: found.length > 0 ? 'weak' : null }
	})
}

function exactRuns(
	byId: ReadonlyMap<string, ToolRun[]>,
	id: string,
	{ agentId }: ModelTurn,
): ToolRun[] | undefined {
	const found = byId.get(id)?.filter((run) => run.agentId === agentId)
	return found && found.length > 0 ? found : undefined
}

function usesIn(turns: readonly ModelTurn[]): Use[] {
	const returned = new Map<string, ModelTurn>()
	for (const turn of turns)
		for (const id of turn.resultIds) {
			const key = `${turn.sessionId} ${id}`
			if (id !== '' && !returned.has(key)) returned.set(key, turn)
		}
	return turns.flatMap((askedBy) =>
		askedBy.toolUses.map(({ id, name, argumentsHash }) => ({
			...{ id, name, askedBy },
			returnedIn: returned.get(`${askedBy.sessionId} ${id}`) ?? null,
			key: argumentsHash && `${askedBy.agentId} ${plainName(name)} ${argumentsHash}`,
		})),
	)
}

function candidatesOf({ key, askedBy, returnedIn }: Use, runs: ReadonlyMap<string, ToolRun[]>): ToolRun[] {
	return (runs.get(key) ?? []).filter(
		({ startNs }) => startNs >= askedBy.startNs && (returnedIn === null || startNs <= returnedIn.startNs),
	)
}

function keyOfRun({ agentId, tool, argumentsHash }: ToolRun): string {
	return `${agentId} ${plainName(tool)} ${argumentsHash}`
}

/** Clients name the tool `search` of a server `mcp__github__search`. */
function plainName(name: string): string {
	return name.slice(name.lastIndexOf('__') < 0 ? 0 : name.lastIndexOf('__') + 2)
}

/** How a view knows its session: not, as we inferred it, as the gateway's own, as somebody named it. */
export type SessionLevel = 0 | 1 | 2 | 3

/** Whose a call is. */
export interface Names {
	level: SessionLevel
	session: string
	user: string
	agentId: string
	agentName: string
}

/** What the joining of views reads of a span. */
export interface SeenSpan {
	trace: string
	span: string
	parent: string
	kind: string
	/** The tool; of another MCP request its method. */
	subject: string
	startUs: number
	/** −1 without an outcome. */
	lengthUs: number
	/** Who saw it, the one that counts last: client (1), server (2), gateway or model proxy (3). */
	rank: number
	/** By rank, then by what is reported: see `weightOf`. */
	weight: number
	scope: string
	/** What it has in common with other views of its call: see `view-keys.ts`. */
	keys: readonly string[]
	/** Of a tool's arguments, see `hashOfArguments`, or of what a model answered; '' where that is not known. */
	contentHash: string
	names: Names
	/** What the span says about all that is beneath it. */
	tags: Readonly<Record<string, string>>
}

/** A call by its span, for keys of maps. */
export const placeOf = ({ trace, span }: { trace: string; span: string }): string => `${trace} ${span}`

const callKinds: ReadonlySet<string> = new Set(['tool_call', 'model_call', 'mcp'])
/** Calls, and what else MCP servers are asked. */
export const isJoinable = ({ kind }: Pick<SeenSpan, 'kind'>): boolean => callKinds.has(kind)

/** Of several views, each name from the first that has it, the session from the first that knows it best. */
export function bestNames(all: readonly Names[]): Names {
	const first = (of: 'user' | 'agentId' | 'agentName') => all.find((names) => names[of] !== '')?.[of] ?? ''
	const known = all.reduce((best, names) => (names.level > best.level ? names : best), all[0] ?? nobody)
	return {
		...{ level: known.level, session: known.session, user: first('user') },
		...{ agentId: first('agentId'), agentName: first('agentName') },
	}
}

export const nobody: Names = { level: 0, session: '', user: '', agentId: '', agentName: '' }

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

/** The bit in the weight of a view that says that it tells the usage of its model. */
export const weightOfUsage = 4

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

/** How far apart in time views of one call may begin. */
export const reachUs = { exact: 600e6, strong: 5e6, ordered: 120e6 } as const
/** Clocks differ, and some count whole milliseconds. */
const longerByUs = 1000
/** By so much a view may begin before the one around it, or end after it. */
const looseByUs = 10_000
/** Where clocks differ by more than that, views that say the same are looked for so far. */
const skewUs = 5_000_000
/** A program waits so much longer for an answer, at most, than its call takes. */
const waitsUs = 2_000_000
/** A view that is a moment alone, a log, comes so long after the call's end at most. */
const toldAfterUs = 5_000_000

/** Client, gateway, server: each call lies within the one before. */
type Timed = Pick<SeenSpan, 'startUs' | 'lengthUs' | 'rank'>
const depthOf = ({ rank }: Timed) => (rank === 1 ? 0 : rank === 3 ? 1 : 2)
/** Whether of two the outer one lasts at least as long as the inner. */
export function holds(a: Timed, b: Timed): boolean {
	const [outer, inner] = depthOf(a) < depthOf(b) ? [a, b] : [b, a]
	return outer.lengthUs < 0 || inner.lengthUs <= outer.lengthUs + longerByUs
}

const endOf = ({ startUs, lengthUs }: Timed) => startUs + Math.max(lengthUs, 0)
/** Whether a view lies within another, or is a log of what that has been. */
const within = (a: Timed, b: Timed) =>
	a.startUs >= b.startUs - looseByUs && endOf(a) <= endOf(b) + (a.lengthUs === 0 ? toldAfterUs : looseByUs)
export const together = (a: Timed, b: Timed) => within(a, b) || within(b, a)
/** Whether two views may be of one time by clocks that differ. */
export const isSkewed = (a: Timed, b: Timed) =>
	a.lengthUs > 0 &&
	b.lengthUs > 0 &&
	Math.abs(a.startUs - b.startUs) <= skewUs &&
	Math.abs(a.lengthUs - b.lengthUs) <= waitsUs &&
	holds(a, b)
/** Whether two calls with an ordered key could be views of one, as far as time tells; by other clocks only what tells more is compared. */
export const mayBeNear = (a: Timed, b: Timed, doTell: boolean): boolean =>
	together(a, b) || (doTell && isSkewed(a, b))
/** How far from a call those lie for which that may hold. */
export const nearUs = (call: Timed, longestUs: number): { backUs: number; onUs: number } => ({
	backUs: Math.min(reachUs.ordered, Math.max(longestUs, 0) + skewUs + looseByUs),
	onUs: Math.min(reachUs.ordered, Math.max(call.lengthUs, 0) + skewUs + looseByUs),
})

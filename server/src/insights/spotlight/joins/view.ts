/** How a view knows its session: not at all, inferred, from the gateway, or named by the sender. */
export type SessionLevel = 0 | 1 | 2 | 3

/** Session, user and agent of a call. */
export interface Names {
	level: SessionLevel
	session: string
	user: string
	agentId: string
	agentName: string
}

/** The bit in the weight of a view that means that it has token usage. */
export const usageWeightBit = 4

/** What view joining reads of a span. */
export interface SeenSpan {
	trace: string
	span: string
	parent: string
	kind: string
	/** The tool; for another MCP request, its method. */
	subject: string
	startUs: number
	/** −1 without an outcome. */
	lengthUs: number
	/** Which side recorded it, in ascending precedence: client (1), server (2), gateway or model proxy (3). */
	rank: number
	/** By rank, then by what is reported: see `weightOf`. */
	weight: number
	scope: string
	/** The tokens of a model call, as two sums; '' if they are not known. */
	tokens: string
	/** What it has in common with other views of its call: see `view-keys.ts`. */
	keys: readonly string[]
	/** Hash of a tool's arguments (see `hashOfArguments`), or of a model's answer; '' if it is not known. */
	contentHash: string
	names: Names
	/** The names of the model call that requested this tool call, if it is known and the call may take them; '' where it has none. */
	requestedBy?: Pick<Names, 'session' | 'user'>
	/** Attributes of the span that apply to all its descendants. */
	tags: Readonly<Record<string, string>>
}

/** Identifies a call's span, as a key of maps. */
export const placeOf = ({ trace, span }: { trace: string; span: string }): string => `${trace} ${span}`

const callKinds: ReadonlySet<string> = new Set(['tool_call', 'model_call', 'mcp'])
/** Calls, and other MCP requests. */
export const isJoinable = ({ kind }: Pick<SeenSpan, 'kind'>): boolean => callKinds.has(kind)

/** From several views, takes each name from the first that has it, and the session from the first that knows it best. */
export function bestNames(all: readonly Names[]): Names {
	const first = (of: 'user' | 'agentId' | 'agentName') => all.find((names) => names[of] !== '')?.[of] ?? ''
	const known = all.reduce((best, names) => (names.level > best.level ? names : best), all[0] ?? noNames)
	return {
		...{ level: known.level, session: known.session, user: first('user') },
		...{ agentId: first('agentId'), agentName: first('agentName') },
	}
}

export const noNames: Names = { level: 0, session: '', user: '', agentId: '', agentName: '' }

/** The names of a call that a view of it does not have itself; otherwise ''. */
export function differing(own: Names, all: Names): Omit<Names, 'level'> {
	const other = (name: 'session' | 'user' | 'agentId' | 'agentName') =>
		all[name] === own[name] ? '' : all[name]
	const isNamed = all.level > 1 || own.session === ''
	return {
		session: isNamed ? other('session') : '',
		...{ user: other('user'), agentId: other('agentId'), agentName: other('agentName') },
	}
}

/** How far apart views of one call may begin. */
export const reachUs = { exact: 600e6, strong: 5e6, ordered: 120e6, sameAnswer: 3000e6 } as const
/** Clocks differ, and some have a resolution of milliseconds. */
const longerByUs = 1000
/** Tolerance by which a view may begin before the surrounding one, or end after it. */
const looseByUs = 10_000
/** If clocks differ by more than that, views with the same content are searched up to this distance. */
const skewUs = 5_000_000
/** How much longer than its call, at most, a program waits for the answer. */
const waitsUs = 2_000_000
/** How long after the call's end, at most, a view without duration (a log record) is written. */
const reportedWithinUs = 5_000_000

/** Client, gateway, server: each call lies within the previous one. */
type Timed = Pick<SeenSpan, 'startUs' | 'lengthUs' | 'rank'>
const depthOf = ({ rank }: Timed) => (rank === 1 ? 0 : rank === 3 ? 1 : 2)
/** Whether the outer one of two lasts at least as long as the inner one. */
export function canContain(a: Timed, b: Timed): boolean {
	const [outer, inner] = depthOf(a) < depthOf(b) ? [a, b] : [b, a]
	return outer.lengthUs < 0 || inner.lengthUs <= outer.lengthUs + longerByUs
}

const endOf = ({ startUs, lengthUs }: Timed) => startUs + Math.max(lengthUs, 0)
/** Whether a view lies within another, or is a log record of one that has ended. */
const within = (a: Timed, b: Timed) =>
	a.startUs >= b.startUs - looseByUs &&
	endOf(a) <= endOf(b) + (a.lengthUs === 0 ? reportedWithinUs : looseByUs)
export const oneContainsOther = (a: Timed, b: Timed) => within(a, b) || within(b, a)
/** Whether two views may be simultaneous if their clocks differ. */
export const isSkewed = (a: Timed, b: Timed) =>
	a.lengthUs > 0 &&
	b.lengthUs > 0 &&
	Math.abs(a.startUs - b.startUs) <= skewUs &&
	Math.abs(a.lengthUs - b.lengthUs) <= waitsUs &&
	canContain(a, b)
/**
 * Whether two calls with an ordered key could be views of one, as far as time shows. With skewed clocks, only views with content or
 * usage are compared.
 */
export const mayBeNear = (a: Timed, b: Timed, doTell: boolean): boolean =>
	oneContainsOther(a, b) || (doTell && isSkewed(a, b))
/**
 * Whether two views with the id of one answer may be of one call: one begins soon after the other has ended, or before. A log record of a
 * long call is written at its end.
 */
export function areNearInAnswer(a: Timed, b: Timed): boolean {
	const [first, second] = a.startUs <= b.startUs ? [a, b] : [b, a]
	return (
		second.startUs - endOf(first) <= reachUs.exact && second.startUs - first.startUs <= reachUs.sameAnswer
	)
}
/** The distance from a call within which that may hold. */
export const nearUs = (call: Timed, maxUs: number): { backUs: number; onUs: number } => ({
	backUs: Math.min(reachUs.ordered, Math.max(maxUs, 0) + skewUs + looseByUs),
	onUs: Math.min(reachUs.ordered, Math.max(call.lengthUs, 0) + skewUs + looseByUs),
})

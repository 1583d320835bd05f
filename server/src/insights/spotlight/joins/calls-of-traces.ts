import { areNearInAnswer, bestNames, isJoinable, type Names, placeOf, type SeenSpan } from './view.ts'

/**
 * Names that calls inherit from ancestors: many libraries set session, user, agent and tags once, on the root or on the agent's span.
 * The nearest ancestor that has a name applies, and a call's own name takes precedence. A tool call whose session neither its client nor an
 * ancestor names is in that of the model call that requested it.
 */

/** A limit, because parents may form a cycle: senders choose the ids. */
const maxAncestors = 100

/** A call's own names together with the inherited ones. */
export interface Named {
	names: Names
	/** Tags of its ancestors, without those that it has itself. */
	tags: Readonly<Record<string, string>>
}

/** `spans`, by `placeOf`, contains everything that was found of the call's trace. */
function namesFromAbove(call: SeenSpan, spans: ReadonlyMap<string, SeenSpan>): Named {
	let { level, session, user, agentId, agentName } = call.names
	let tags: Readonly<Record<string, string>> = {}
	let above = parentOf(call, spans)
	for (let height = 0; above && namesApply(above, call) && height < maxAncestors; height++) {
		const names = above.names
		if (level < 2 && names.level >= 2) {
			session = names.session
			level = 3
		}
		if (user === '') user = names.user
		if (agentId === '' && agentName === '') ({ agentId, agentName } = names)
		tags = { ...above.tags, ...tags }
		above = parentOf(above, spans)
	}
	const asked = call.requestedBy
	if (level < 3 && asked && asked.session !== '') {
		session = asked.session
		level = 3
	}
	if (user === '' && asked) user = asked.user
	const inherited = Object.entries(tags).filter(([name]) => !Object.hasOwn(call.tags, name))
	return { names: { level, session, user, agentId, agentName }, tags: Object.fromEntries(inherited) }
}

const hourUs = 3600e6
const dayUs = 24 * hourUs
/**
 * Whether a span's names apply to a call beneath it: the call begins within an hour of the span's start or, if the span is longer,
 * while it lasts or up to an hour after, at most a day after its start. When the call's hour is joined again no more is read, so
 * ancestors above a span that does not apply do not apply either.
 */
function namesApply({ startUs, lengthUs }: SeenSpan, call: SeenSpan): boolean {
	const laterUs = call.startUs - startUs
	return (
		Math.abs(laterUs) <= hourUs ||
		(lengthUs > hourUs && laterUs > 0 && laterUs <= Math.min(lengthUs + hourUs, dayUs))
	)
}

const parentOf = ({ trace, parent }: SeenSpan, spans: ReadonlyMap<string, SeenSpan>) =>
	spans.get(placeOf({ trace, span: parent }))

/** The views of one call within a trace. */
export interface KnownCall {
	trace: string
	/** The span that would be counted; the others are its views. */
	leader: string
	hides: readonly string[]
	kind: string
	/** The highest rank among the sides that recorded it, and all of them as bits. */
	rank: number
	ranks: number
	/** The following properties are the leader's. */
	weight: number
	scope: string
	startUs: number
	lengthUs: number
	contentHash: string
	keys: readonly string[]
	/** What its views report as its tokens. */
	tokens: readonly string[]
	/** Scopes of all its views. */
	scopes: ReadonlySet<string>
	names: Names
}

/** Maximum distance between a call and a surrounding view in the same trace. */
const reachUs = 2400e6
const maxLevels = 3

/** A call with the surrounding spans that may be views of it, outermost first, the call itself last. */
interface Line {
	call: SeenSpan
	views: readonly SeenSpan[]
	rank: number
	/** The outermost of the views with the highest weight. */
	first: SeenSpan
}

/** The calls of each trace, and the inherited names of each span of a call. `spans` by `placeOf`. */
export function callsOfTraces(spans: ReadonlyMap<string, SeenSpan>): {
	calls: KnownCall[]
	named: Map<string, Named>
} {
	const seen = [...spans.values()].filter(isJoinable)
	const named = new Map(seen.map((call) => [placeOf(call), namesFromAbove(call, spans)]))
	const lines = seen.map((call) => lineOf(call, spans))
	const byLeader = Map.groupBy(leaders(lines), ({ trace, leader }) => placeOf({ trace, span: leader }))
	const lineOfCall = new Map(lines.map((line) => [placeOf(line.call), line]))
	const calls = [...byLeader].flatMap(([place, members]) => {
		const leader = lineOfCall.get(place)
		return leader
			? [
					knownCall(
						leader,
						members.map(({ span }) => lineOfCall.get(placeOf(span)) as Line),
						named,
					),
				]
			: []
	})
	return { calls, named }
}

function lineOf(call: SeenSpan, spans: ReadonlyMap<string, SeenSpan>): Line {
	const above: SeenSpan[] = []
	let around = parentOf(call, spans)
	for (let level = 0; around && level < maxLevels; level++) {
		if (Math.abs(around.startUs - call.startUs) > reachUs) break
		if (isSameCall(around, call)) {
			if (isEarlierCall(around, above.at(-1) ?? call)) break
			above.push(around)
		}
		around = parentOf(around, spans)
	}
	const views = [...above.reverse(), call]
	const most = Math.max(...views.map(({ weight }) => weight))
	return {
		...{ call, views, rank: Math.max(...views.map(({ rank }) => rank)) },
		first: views.find(({ weight }) => weight === most) as SeenSpan,
	}
}

const isSameCall = (around: SeenSpan, call: SeenSpan) =>
	around.span !== call.span &&
	around.kind === call.kind &&
	(call.kind === 'model_call' || isSameTool(around.subject, call.subject))

/**
 * Whether a span that surrounds another one is a call before it: some libraries leave the span of a stream active when it ends, so that
 * the next calls are below it. Only the times of one library in one trace are those of one clock.
 */
const isEarlierCall = (around: SeenSpan, call: SeenSpan) =>
	around.scope !== '' &&
	around.scope === call.scope &&
	around.rank === call.rank &&
	around.lengthUs >= 0 &&
	call.startUs > around.startUs + around.lengthUs

/** `search` and `docs__search` are the same tool; a call without a tool name matches any. */
const isSameTool = (a: string, b: string) =>
	a === b || a === '' || b === '' || a.endsWith(`__${b}`) || b.endsWith(`__${a}`)

/** For each view, the span that leads its call. What the gateway or the proxy recorded is its own leader. */
function leaders(lines: readonly Line[]): { trace: string; span: SeenSpan; leader: string }[] {
	const named = new Map<string, { span: SeenSpan; best: { most: number; leads: string; by: string } }>()
	for (const { call, views, first } of lines)
		for (const span of views) {
			const leads = span === call || span.weight < call.weight ? first.span : span.span
			const one = { most: first.weight, leads, by: first.span }
			const known = named.get(placeOf(span))
			if (!known || isBefore(known.best, one, span.span)) named.set(placeOf(span), { span, best: one })
		}
	return [...named.values()].map(({ span, best }) => ({
		...{ trace: span.trace, span, leader: span.rank === 3 ? span.span : best.leads },
	}))
}

type Lead = { most: number; leads: string; by: string }
function isBefore(known: Lead, other: Lead, self: string): boolean {
	const isLed = ({ leads }: Lead) => Number(leads !== self)
	if (isLed(known) !== isLed(other)) return isLed(other) > isLed(known)
	return other.most !== known.most ? other.most > known.most : other.by > known.by
}

function knownCall(leader: Line, members: readonly Line[], named: ReadonlyMap<string, Named>): KnownCall {
	const { call } = leader
	const own = (line: Line) => (named.get(placeOf(line.call)) as Named).names
	// The rows of the store have no order, and of several names the first counts.
	const others = members.filter((line) => line !== leader).sort(byStart)
	const all = [leader, ...others]
	// Spans inside a server's view have the keys of another call.
	const keyed =
		call.kind === 'model_call' ? all : all.filter(({ call: { rank }, rank: best }) => rank === best)
	return {
		...{ trace: call.trace, leader: call.span, kind: call.kind, hides: others.map((line) => line.call.span) },
		rank: Math.max(...all.map((line) => line.call.rank)),
		ranks: all.reduce((bits, line) => bits | ranksOf(line), 0),
		...{ weight: call.weight, scope: call.scope, startUs: call.startUs, lengthUs: call.lengthUs },
		contentHash: keyed.map((line) => line.call.contentHash).find((hash) => hash !== '') ?? '',
		keys: [...new Set(keyed.flatMap((line) => line.call.keys))],
		tokens: keyed.map((line) => line.call.tokens).filter((tokens) => tokens !== ''),
		scopes: new Set(all.map((line) => line.call.scope)),
		names: bestNames(all.map(own)),
	}
}

const byStart = ({ call: a }: Line, { call: b }: Line) =>
	a.startUs - b.startUs || b.lengthUs - a.lengthUs || (a.span < b.span ? -1 : 1)

/** A span below a server's or the gateway's view that is not a server's is a step inside it, and not a client's view. */
function ranksOf({ call, views, rank }: Line): number {
	const own = call.rank === 1 && rank > 1 ? 0 : 1 << call.rank
	return views.reduce((bits, view) => (view === call ? bits : bits | (1 << view.rank)), own)
}

/** How many adjacent calls with the id of an answer are examined in each direction: a client may ask for it again and again. */
const adjacentAnswers = 50

/**
 * For a call of a chronologically sorted group with the id of one answer, the others that are near enough to be views of the same call.
 * They do not depend on calls further away, so the result is the same whatever else is examined.
 */
export function nearInAnswer(group: readonly KnownCall[], at: number): KnownCall[] {
	const call = group[at] as KnownCall
	return group
		.slice(Math.max(0, at - adjacentAnswers), at + adjacentAnswers + 1)
		.filter((other) => other !== call && areNearInAnswer(call, other))
}

/** Of views with the id of one answer, the one that is counted. */
export function bestOfAnswer([first, ...others]: readonly [KnownCall, ...KnownCall[]]): KnownCall {
	const idOf = ({ trace, leader }: KnownCall) => placeOf({ trace, span: leader })
	const isBetter = (a: KnownCall, b: KnownCall) =>
		(a.weight - b.weight ||
			b.startUs - a.startUs ||
			a.lengthUs - b.lengthUs ||
			(idOf(a) < idOf(b) ? 1 : -1)) > 0
	return others.reduce((one, other) => (isBetter(other, one) ? other : one), first)
}

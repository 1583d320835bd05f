import { bestNames, isJoinable, type Names, placeOf, type SeenSpan } from './view.ts'

/**
 * Names that an ancestor gives to the calls beneath it: many libraries say session, user, agent and tags once, on the root or
 * on the span of the agent. The nearest ancestor that says one counts, and what a call says itself counts before it.
 */

/** Parents may form a circle: whoever sends them chooses the ids. */
const mostAncestors = 100

/** What a call has with what is above it. */
interface Named {
	names: Names
	/** Of its ancestors; its own attributes come before them. */
	tags: Readonly<Record<string, string>>
}

/** `spans`, by `placeOf`, has all that was found of the call's trace. */
function namesFromAbove(call: SeenSpan, spans: ReadonlyMap<string, SeenSpan>): Named {
	let { level, session, user, agentId, agentName } = call.names
	let tags: Readonly<Record<string, string>> = {}
	let above = parentOf(call, spans)
	for (let height = 0; above && isHeard(above, call) && height < mostAncestors; height++) {
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

const hourUs = 3600e6
const dayUs = 24 * hourUs
/**
 * Whether what a span says is about a call beneath it: one within an hour of its start, and where it lasts longer, one that begins while it
 * lasts or an hour after, at most a day after its start. No more is read when the call's hour is joined again, so that nothing beyond such a
 * span is heard either.
 */
function isHeard({ startUs, lengthUs }: SeenSpan, call: SeenSpan): boolean {
	const laterUs = call.startUs - startUs
	return (
		Math.abs(laterUs) <= hourUs ||
		(lengthUs > hourUs && laterUs > 0 && laterUs <= Math.min(lengthUs + hourUs, dayUs))
	)
}

const parentOf = ({ trace, parent }: SeenSpan, spans: ReadonlyMap<string, SeenSpan>) =>
	spans.get(placeOf({ trace, span: parent }))

/** What a trace knows as one call. */
export interface KnownCall {
	trace: string
	/** The span that would count, and the call's other views. */
	leader: string
	hides: readonly string[]
	kind: string
	/** The best of the sides that saw it, and all of them as bits. */
	rank: number
	ranks: number
	/** What follows is the leader's. */
	weight: number
	scope: string
	startUs: number
	lengthUs: number
	contentHash: string
	keys: readonly string[]
	/** Of all its views. */
	scopes: ReadonlySet<string>
	names: Names
}

/** Between views of one trace, from a call to what is around it. */
const reachUs = 2400e6
const mostLevels = 3

/** A call with what is around it that may be a view of the same, the outermost first, itself last. */
interface Line {
	call: SeenSpan
	views: readonly SeenSpan[]
	rank: number
	/** The outermost of the views that weigh most. */
	first: SeenSpan
}

/** The calls of each trace, and what each single span of a call has from above. `spans` by `placeOf`. */
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
	for (let level = 0; around && level < mostLevels; level++) {
		if (Math.abs(around.startUs - call.startUs) > reachUs) break
		if (isSameCall(around, call)) above.push(around)
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

/** `search` and `docs__search` are the same tool, and one without a name is any. */
const isSameTool = (a: string, b: string) =>
	a === b || a === '' || b === '' || a.endsWith(`__${b}`) || b.endsWith(`__${a}`)

/** For each view the span that leads its call: what the gateway or the proxy recorded leads itself. */
function leaders(lines: readonly Line[]): { trace: string; span: SeenSpan; leader: string }[] {
	const said = new Map<string, { span: SeenSpan; best: { most: number; leads: string; by: string } }>()
	for (const { call, views, first } of lines)
		for (const span of views) {
			const leads = span === call || span.weight < call.weight ? first.span : span.span
			const one = { most: first.weight, leads, by: first.span }
			const known = said.get(placeOf(span))
			if (!known || isBefore(known.best, one, span.span)) said.set(placeOf(span), { span, best: one })
		}
	return [...said.values()].map(({ span, best }) => ({
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
	const others = members.filter((line) => line !== leader)
	const all = [leader, ...others]
	// What is inside of a server's view has keys of another call.
	const keyed =
		call.kind === 'model_call' ? all : all.filter(({ call: { rank }, rank: best }) => rank === best)
	return {
		...{ trace: call.trace, leader: call.span, kind: call.kind, hides: others.map((line) => line.call.span) },
		rank: Math.max(...all.map((line) => line.call.rank)),
		ranks: all.reduce((bits, line) => bits | ranksOf(line), 0),
		...{ weight: call.weight, scope: call.scope, startUs: call.startUs, lengthUs: call.lengthUs },
		contentHash: keyed.map((line) => line.call.contentHash).find((hash) => hash !== '') ?? '',
		keys: [...new Set(keyed.flatMap((line) => line.call.keys))],
		scopes: new Set(all.map((line) => line.call.scope)),
		names: bestNames(all.map(own)),
	}
}

/** What is below a server's or the gateway's view and is not a server's is inside of it, and no client's view. */
function ranksOf({ call, views, rank }: Line): number {
	const own = call.rank === 1 && rank > 1 ? 0 : 1 << call.rank
	return views.reduce((bits, view) => (view === call ? bits : bits | (1 << view.rank)), own)
}

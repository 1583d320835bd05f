import { orderedKey } from '../../../telemetry/index.ts'
import { callsOfTraces, type KnownCall } from './calls-of-traces.ts'
import { byPlace, joinCalls, type Match } from './join-calls.ts'
import { bestNames, isJoinable, type Names, placeOf, type SeenSpan } from './view.ts'

/** 0: it counts; 1: it is a view of another call; 2: of one of several, and nothing tells of which. */
export type Hidden = 0 | 1 | 2

/** What is known of a call beyond its own span. */
export interface Outcome {
	span: SeenSpan
	isHidden: Hidden
	/** Where it counts, or may. */
	counted: { trace: string; span: string } | null
	/** Whose it is, where its own span says otherwise or nothing; else ''. */
	names: Omit<Names, 'level'>
	tags: Readonly<Record<string, string>>
}

/** What becomes of all calls among these spans, by `placeOf`. `unread`: see `joinCalls`. */
export function outcomesOf(
	spans: ReadonlyMap<string, SeenSpan>,
	unread?: Set<KnownCall>,
): Map<string, Outcome> {
	const { calls, named } = callsOfTraces(spans)
	const matches = joinCalls(calls, unread)
	const hidden = hiddenCalls(matches)
	const told = toldBy(matches)
	const known = new Map<string, { call: KnownCall; isHidden: Hidden; counted: KnownCall | null }>()
	for (const call of calls) {
		const where = hidden.get(call)
		const one = { call, isHidden: where?.isHidden ?? 0, counted: where?.counted ?? null }
		known.set(placeOf({ trace: call.trace, span: call.leader }), one)
	}
	// What leads a call may itself be a view of another one.
	for (const call of calls)
		for (const span of call.hides)
			known.set(placeOf({ trace: call.trace, span }), { call, isHidden: 1, counted: call })
	return new Map(
		[...spans]
			.filter(([, span]) => isJoinable(span))
			.map(([place, span]) => {
				const { call, isHidden, counted } = known.get(place) ?? {
					call: null,
					isHidden: 0 as const,
					counted: null,
				}
				const above = named.get(place)
				const all = call && isHidden === 0 ? bestNames([call.names, ...(told.get(call) ?? [])]) : span.names
				return [
					place,
					{
						...{ span, isHidden, counted: counted && { trace: counted.trace, span: counted.leader } },
						names: differing(span.names, all),
						tags: above?.tags ?? {},
					},
				]
			}),
	)
}

interface Where {
	isHidden: Hidden
	counted: KnownCall
	strength: number
}
function hiddenCalls(matches: readonly Match[]): Map<KnownCall, Where> {
	const hidden = new Map<KnownCall, Where>()
	for (const { call, counted, isUnsure, strength } of matches)
		for (const one of counted) {
			const where: Where = { isHidden: isUnsure ? 2 : 1, counted: one, strength }
			const known = hidden.get(call)
			if (!known || compare(where, known) < 0) hidden.set(call, where)
		}
	return hidden
}
/** What is sure first, then what says most. */
const compare = (a: Where, b: Where) =>
	a.isHidden - b.isHidden || weakness(a) - weakness(b) || byPlace(a.counted, b.counted)
const weakness = ({ strength }: Where) => (strength === orderedKey ? 4 : strength)

/** What the views that count elsewhere know of whose call that is. A pairing that nothing speaks for tells nothing. */
function toldBy(matches: readonly Match[]): Map<KnownCall, Names[]> {
	const by = new Map<KnownCall, Set<KnownCall>>()
	for (const { call, counted, partners } of matches)
		for (const one of counted) if (partners.includes(one)) by.set(one, (by.get(one) ?? new Set()).add(call))
	return new Map([...by].map(([one, calls]) => [one, [...calls].sort(byPlace).map(({ names }) => names)]))
}

function differing(own: Names, all: Names): Outcome['names'] {
	const other = (name: 'session' | 'user' | 'agentId' | 'agentName') =>
		all[name] === own[name] ? '' : all[name]
	const isNamed = all.level > 1 || own.session === ''
	return {
		session: isNamed ? other('session') : '',
		...{ user: other('user'), agentId: other('agentId'), agentName: other('agentName') },
	}
}

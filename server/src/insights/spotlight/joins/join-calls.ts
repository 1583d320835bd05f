import { keyStrengths, orderedKey } from '../../../telemetry/index.ts'
import { bestOfAnswer, callsOfTraces, type KnownCall, type Named, nearInAnswer } from './calls-of-traces.ts'
import {
	bestNames,
	canContain,
	differing,
	isJoinable,
	isSkewed,
	mayBeNear,
	type Names,
	nearUs,
	oneContainsOther,
	placeOf,
	reachUs,
	type SeenSpan,
	usageWeightBit,
} from './view.ts'

/** How many adjacent calls with the same key are examined in each direction of time. */
export const adjacentCalls = 8

/** A call of one trace as matched by one of its keys. */
interface Match {
	call: KnownCall
	/** See `keyStrengths`; 0 if matched only by time and order. */
	strength: number
	/** Its views in other traces or by other libraries. */
	partners: readonly KnownCall[]
	/** The calls that are counted in its place. */
	counted: readonly KnownCall[]
	/** It is known that it is a view of one of several calls, but not of which. */
	isUnsure: boolean
}

const strengthOf = (key: string) => Number(key.slice(-2)) % 4
const isId = (key: string, { kind }: KnownCall) =>
	kind === 'model_call' && strengthOf(key) === keyStrengths.exact

/**
 * Matches every call by each of its keys. The rule in words: docs/spotlight.md. `unread` receives the calls whose content is not known
 * but would help.
 */
export function joinCalls(calls: readonly KnownCall[], unread: Set<KnownCall> = new Set()): Match[] {
	const byKey = new Map<string, KnownCall[]>()
	for (const call of calls)
		for (const key of call.keys) {
			const group = byKey.get(key)
			if (group) group.push(call)
			else byKey.set(key, [call])
		}
	for (const group of byKey.values()) group.sort(byPlace)
	const ids = sameIds(byKey)
	const matches: Match[] = []
	const inOrder: [string, KnownCall[]][] = []
	for (const [key, group] of byKey) {
		if (group.length < 2) continue
		if (isId(key, group[0] as KnownCall)) matches.push(...joinById(group))
		else if (strengthOf(key) === orderedKey) inOrder.push([key, group])
		else matches.push(...joinAlone(key, group))
	}
	for (const [, group] of inOrder) matches.push(...joinInOrder(group, ids, unread))
	return [...matches, ...joinAmbiguous(byKey, matches)]
}

/** In chronological order. */
const byPlace = (a: KnownCall, b: KnownCall) =>
	a.startUs - b.startUs || compare(a.trace, b.trace) || compare(a.leader, b.leader)
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function nearIn(group: readonly KnownCall[], at: number, reach: number): KnownCall[] {
	const { startUs } = group[at] as KnownCall
	return group
		.slice(Math.max(0, at - adjacentCalls), at + adjacentCalls + 1)
		.filter((other) => Math.abs(other.startUs - startUs) <= reach)
}

/** Calls that share an id with another call near them, and the libraries of all of those. */
type SameIds = ReadonlyMap<KnownCall, ReadonlySet<string>>
function sameIds(byKey: ReadonlyMap<string, readonly KnownCall[]>): SameIds {
	const found = new Map<KnownCall, Set<string>>()
	for (const [key, group] of byKey) {
		if (group.length < 2 || !isId(key, group[0] as KnownCall)) continue
		for (const [at, call] of group.entries()) {
			const near = nearInAnswer(group, at)
			if (near.length === 0) continue
			const scopes = [call, ...near].flatMap((one) => [...one.scopes])
			found.set(call, new Set([...(found.get(call) ?? []), ...scopes]))
		}
	}
	return found
}

/** Calls with the same answer id near each other are one call; but each call recorded by the proxy is counted. */
function joinById(group: readonly KnownCall[]): Match[] {
	return group.map((call, at) => {
		const near = nearInAnswer(group, at)
		const first = bestOfAnswer([call, ...near])
		const counted = call.rank < 3 && call !== first ? [first] : []
		return { call, strength: keyStrengths.exact, partners: near, counted, isUnsure: false }
	})
}

const mayBeOne = (a: KnownCall, b: KnownCall, strength: number) =>
	a.trace !== b.trace && (a.ranks & b.ranks) === 0 && (strength === keyStrengths.exact || canContain(a, b))

type Likeness = (a: KnownCall, b: KnownCall) => boolean

/** A pair is matched only if each is the other's only candidate of that side. */
function joinAlone(key: string, group: readonly KnownCall[]): Match[] {
	const strength = strengthOf(key)
	const reach = strength === keyStrengths.exact ? reachUs.exact : reachUs.strong
	const only = new Map(
		group.map((call, at) => {
			const reached = nearIn(group, at, reach)
			const before = reached.indexOf(call)
			if (before >= adjacentCalls || reached.length - 1 - before >= adjacentCalls) return [call, []]
			const candidates = reached.filter((other) => mayBeOne(other, call, strength))
			return [
				call,
				candidates.filter((one) => candidates.filter(({ ranks }) => ranks & one.ranks).length === 1),
			]
		}),
	)
	return group.map((call) => {
		const mutual = (only.get(call) ?? []).filter((other) => only.get(other)?.includes(call))
		const counted = mutual.filter(({ rank }) => rank > call.rank)
		return { call, strength, partners: mutual, counted, isUnsure: false }
	})
}

const haveOneId = (a: KnownCall, b: KnownCall) =>
	a.keys.some((key) => strengthOf(key) === keyStrengths.exact && b.keys.includes(key))
/**
 * Whether these are all one call, so that it does not matter of which one another call is a view: they share its id, and each is from
 * a different side.
 */
const areOne = (call: KnownCall, others: readonly KnownCall[]) =>
	others.length === 1 ||
	(new Set(others.map(({ rank }) => rank)).size === others.length &&
		others.every((other) => haveOneId(call, other)))

const sayTheSame = (a: KnownCall, b: KnownCall) => a.contentHash !== '' && a.contentHash === b.contentHash
const tellUsage = ({ kind, weight }: KnownCall) => kind === 'model_call' && (weight & usageWeightBit) > 0
/** Same model, same tokens, and no known difference in content. */
const mayBeSkewed = (a: KnownCall, b: KnownCall) =>
	tellUsage(a) &&
	tellUsage(b) &&
	a.tokens.some((tokens) => b.tokens.includes(tokens)) &&
	(a.contentHash === '' || b.contentHash === '' || sayTheSame(a, b))

/**
 * Two libraries of one trace that name the same tool use. Their times may differ: Claude Code writes the event of a tool's result
 * once the span of the tool has ended.
 */
const areOneUse: Likeness = (a, b) => a.kind === 'tool_call' && a.trace === b.trace && haveOneId(a, b)

/**
 * For libraries without ids: time and tokens determine the matching calls, and their order if there are several. Calls with the same
 * content are matched first.
 */
function joinInOrder(group: readonly KnownCall[], ids: SameIds, unread: Set<KnownCall>): Match[] {
	const taken = new Map<KnownCall, KnownCall[]>()
	const claims = new Map<KnownCall, { claimed: KnownCall; isUnsure: boolean }>()
	const scopesOf = (call: KnownCall) => ids.get(call) ?? call.scopes
	const isBetter = (other: KnownCall, call: KnownCall) =>
		!scopesOf(other).has(call.scope) &&
		(other.rank > call.rank ||
			(other.rank === call.rank && other.trace === call.trace && weighsMore(other, call)))
	const reachedBy = reachInOrder(group)
	const open = group
		.map((call) => ({ call, reached: reachedBy(call) }))
		.filter(({ call }) => call.rank < 3 && !ids.has(call))
	const claim = (isLike: Likeness, isNear: Likeness, noteUnread?: (call: KnownCall) => void) => {
		const found: [KnownCall, { claimed: KnownCall; isUnsure: boolean }][] = []
		for (const { call, reached } of open) {
			if (claims.has(call)) continue
			const isFree = (other: KnownCall) =>
				isBetter(other, call) &&
				isLike(other, call) &&
				!taken.get(other)?.some(({ scope }) => scope === call.scope)
			const better = reached.filter((other) => isFree(other) && isNear(other, call))
			if (better.length === 0) continue
			for (const one of [call, ...better]) if (one.contentHash === '') noteUnread?.(one)
			const rivals = reached.filter(
				(other) =>
					isRival(other, call, ids) &&
					!claims.has(other) &&
					better.some((one) => isLike(one, other) && isNear(other, one)),
			)
			const choice =
				rivals.length === 0
					? better
					: reached.filter(
							(other) =>
								isFree(other) && (isNear(other, call) || rivals.some((rival) => isNear(other, rival))),
						)
			const claimed = choice[rivals.length]
			if (claimed) found.push([call, { claimed, isUnsure: !areOne(call, better) }])
		}
		for (const [call, one] of found) {
			claims.set(call, one)
			taken.set(one.claimed, [...(taken.get(one.claimed) ?? []), call])
		}
	}
	claim(areOneUse, areOneUse)
	claim(sayTheSame, oneContainsOther)
	claim(sayTheSame, isSkewed)
	claim(() => true, oneContainsOther)
	claim(mayBeSkewed, isSkewed, (call) => unread.add(call))
	return group.map((call) => {
		const claimed = claims.get(call)
		const counted = claimed ? [claimed.claimed] : []
		return {
			...{ call, strength: orderedKey, counted, partners: [...counted, ...(taken.get(call) ?? [])] },
			isUnsure: claimed?.isUnsure ?? false,
		}
	})
}

/**
 * For a call of a chronologically sorted group, everything that is related to it: its possible views, calls that could claim those,
 * and the ones that these could claim. It does not depend on calls further away, so the result is the same whatever else is examined.
 */
function reachInOrder(group: readonly KnownCall[]): (call: KnownCall) => KnownCall[] {
	const placeOfCall = new Map(group.map((call, at) => [call, at]))
	const maxUs = Math.max(...group.map(({ lengthUs }) => lengthUs))
	const known = new Map<KnownCall, KnownCall[]>()
	const tells = (call: KnownCall) => (call.kind === 'model_call' ? tellUsage(call) : call.contentHash !== '')
	const besideOf = (call: KnownCall): KnownCall[] => {
		const place = placeOfCall.get(call) as number
		const { backUs, onUs } = nearUs(call, maxUs)
		const side = (by: 1 | -1, withinUs: number) => {
			const found: KnownCall[] = []
			for (let at = place + by; at >= 0 && at < group.length && found.length < adjacentCalls; at += by) {
				const other = group[at] as KnownCall
				if (Math.abs(other.startUs - call.startUs) > withinUs) break
				if (other.rank === call.rank && other.trace !== call.trace) continue
				if (areOneUse(other, call) || mayBeNear(other, call, tells(other) && tells(call))) found.push(other)
			}
			return found
		}
		return [...side(-1, backUs), ...side(1, onUs)]
	}
	const nearTo = (call: KnownCall) => {
		const near = known.get(call) ?? besideOf(call)
		known.set(call, near)
		return near
	}
	return (call) => {
		const reached = new Set([call])
		for (let step = 0; step < 3; step++)
			for (const one of [...reached]) for (const near of nearTo(one)) reached.add(near)
		return [...reached].sort(byPlace)
	}
}

/** Compares the views of two libraries in one trace. */
function weighsMore(a: KnownCall, b: KnownCall): boolean {
	const by = a.weight - b.weight || b.startUs - a.startUs || a.lengthUs - b.lengthUs
	return (by || compare(a.leader, b.leader)) > 0
}

/** Whether another call of the same library comes first. */
const isRival = (other: KnownCall, call: KnownCall, ids: SameIds) =>
	other.rank === call.rank && other.scope === call.scope && !ids.has(other) && byPlace(other, call) < 0

/**
 * Views that may belong to one of several calls of a better side, without anything to tell which: as many as there are such calls are
 * not counted separately, and are marked. Only nearby calls are considered, so the result is the same whatever else is examined.
 */
function joinAmbiguous(byKey: ReadonlyMap<string, readonly KnownCall[]>, matches: readonly Match[]): Match[] {
	const isDone = new Set(matches.filter(({ counted }) => counted.length > 0).map(({ call }) => call))
	/** For each call, the sides whose views were found, as bits. */
	const found = new Map<KnownCall, number>()
	for (const { call, counted } of matches)
		for (const one of counted) found.set(one, (found.get(one) ?? 0) | call.ranks)
	const ambiguous: Match[] = []
	for (const [key, group] of byKey) {
		const strength = strengthOf(key)
		if (strength !== keyStrengths.exact && strength !== keyStrengths.strong) continue
		if (group.length < 2 || isId(key, group[0] as KnownCall)) continue
		const reach = strength === keyStrengths.exact ? reachUs.exact : reachUs.strong
		const mayCountAs = (call: KnownCall, other: KnownCall) =>
			other.rank > call.rank &&
			Math.abs(other.startUs - call.startUs) <= reach &&
			mayBeOne(other, call, strength) &&
			((found.get(other) ?? 0) & call.ranks) === 0
		for (const [at, call] of group.entries()) {
			if (isDone.has(call)) continue
			const near = nearIn(group, at, reach)
			const candidates = near.filter((other) => mayCountAs(call, other))
			const rivals = near.filter(
				(other) =>
					other.rank === call.rank &&
					!isDone.has(other) &&
					byPlace(other, call) < 0 &&
					candidates.some((one) => mayCountAs(other, one)),
			)
			const one = candidates[rivals.length]
			if (one) ambiguous.push({ call, strength, partners: [], counted: [one], isUnsure: true })
		}
	}
	return ambiguous
}

/** 0: it is counted. 1: it is a view of another call. 2: it is a view of one of several calls, and it is not known of which. */
type Hidden = 0 | 1 | 2

/** What is known of a call beyond its own span. */
export interface Outcome {
	span: SeenSpan
	isHidden: Hidden
	/** The call that is counted, or may be. */
	counted: { trace: string; span: string } | null
	/** Session, user and agent where its own span has none or others; otherwise ''. */
	names: Omit<Names, 'level'>
	tags: Readonly<Record<string, string>>
}

type Known = Pick<Outcome, 'isHidden'> & { call: KnownCall; counted: KnownCall | null }

/** The outcomes of all calls among these spans, by `placeOf`. `unread`: see `joinCalls`. */
export function outcomesOf(
	spans: ReadonlyMap<string, SeenSpan>,
	unread?: Set<KnownCall>,
): Map<string, Outcome> {
	const { calls, named } = callsOfTraces(spans)
	const matches = joinCalls(calls, unread)
	const hidden = hiddenCalls(matches)
	const namesOf = namesOfCalls(matches, hidden)
	const known = new Map<string, Known>()
	for (const call of calls) {
		const { isHidden = 0, counted = null } = hidden.get(call) ?? {}
		known.set(placeOf({ trace: call.trace, span: call.leader }), { call, isHidden, counted })
	}
	// The leader of a call may itself be a view of another call.
	for (const call of calls)
		for (const span of call.hides)
			known.set(placeOf({ trace: call.trace, span }), { call, isHidden: 1, counted: call })
	return new Map(
		[...spans]
			.filter(([, span]) => isJoinable(span))
			.map(([place, span]) => {
				const { call, isHidden, counted } = known.get(place) as Known
				const { names: own, tags } = named.get(place) as Named
				// An ambiguous view has only what its own trace says.
				const all = isHidden === 2 ? own : bestNames([...namesOf(counted ?? call), own])
				return [
					place,
					{
						...{ span, isHidden, counted: counted && { trace: counted.trace, span: counted.leader } },
						names: differing(span.names, all),
						tags,
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
			if (!known || compareWhere(where, known) < 0) hidden.set(call, where)
		}
	return hidden
}
/** Certain ones first, then the most informative ones. */
const compareWhere = (a: Where, b: Where) =>
	a.isHidden - b.isHidden || weakness(a) - weakness(b) || byPlace(a.counted, b.counted)
const weakness = ({ strength }: Where) => (strength === orderedKey ? 4 : strength)

/**
 * The names that a call has from all its views; a view has those of its call, which may be a view itself. A match by time only provides
 * no names to the call.
 */
function namesOfCalls(matches: readonly Match[], hidden: ReadonlyMap<KnownCall, Where>) {
	const by = new Map<KnownCall, Set<KnownCall>>()
	for (const { call, counted, partners } of matches)
		for (const one of counted) if (partners.includes(one)) by.set(one, (by.get(one) ?? new Set()).add(call))
	return (call: KnownCall): Names[] => {
		const chain = new Set([call])
		for (const one of chain) {
			const where = hidden.get(one)
			if (where?.isHidden === 1) chain.add(where.counted)
		}
		const last = [...chain].at(-1) as KnownCall
		return [last, ...[...(by.get(last) ?? [])].sort(byPlace)].map(({ names }) => names)
	}
}

import { keyStrengths } from '../../../telemetry/index.ts'
import type { SpanPlace, StoredMatch } from './repository.ts'

export type Confidence = keyof typeof keyStrengths
export type SureSpan = SpanPlace & { confidence: Confidence }

const confidences = ['exact', 'strong', 'weak'] as const satisfies readonly Confidence[]
const keyOf = (trace: string, leader: string) => `${trace} ${leader}`

/**
 * All spans that are views of the same call as the given one, as far as the matches tell. What is joined weakly has to be joined
 * to nothing else.
 */
export function gatherViews(matches: readonly StoredMatch[], { trace, span }: SpanPlace): SureSpan[] {
	const byLeader = Map.groupBy(matches, (match) => keyOf(match.trace, match.leader))
	const confidenceOf = new Map<string, Confidence>()
	const waiting = leadersOf(matches, trace, span).map((key) => ({ key, confidence: 'exact' as Confidence }))
	for (let next = waiting.shift(); next; next = waiting.shift()) {
		if (confidenceOf.has(next.key)) continue
		confidenceOf.set(next.key, next.confidence)
		waiting.push(...partnersOf(byLeader, next.key, next.confidence))
		waiting.sort((a, b) => keyStrengths[a.confidence] - keyStrengths[b.confidence])
	}
	return [...confidenceOf].flatMap(([key, confidence]) => spansOf(byLeader, key, confidence))
}

/** What the span leads, and what leads it in its own trace, which may be led on. */
function leadersOf(matches: readonly StoredMatch[], trace: string, span: string): string[] {
	const own = matches.filter((match) => match.trace === trace)
	const found = new Set([span])
	for (const each of found) for (const { leader, hides } of own) if (hides.includes(each)) found.add(leader)
	for (const { leader, hides } of own) if (found.has(leader)) for (const each of hides) found.add(each)
	const leaders = new Set(own.map(({ leader }) => leader))
	return [...found].filter((each) => leaders.has(each)).map((leader) => keyOf(trace, leader))
}

function partnersOf(
	byLeader: ReadonlyMap<string, readonly StoredMatch[]>,
	key: string,
	confidence: Confidence,
): { key: string; confidence: Confidence }[] {
	// One weak link is enough.
	if (confidence === 'weak') return []
	return (byLeader.get(key) ?? []).flatMap(({ strength, partners }) =>
		partners
			.map(([trace, leader]) => keyOf(trace, leader))
			.filter(
				(partner) =>
					strength < keyStrengths.weak || !(isJoined(byLeader, partner) || isJoined(byLeader, key)),
			)
			.map((partner) => ({ key: partner, confidence: weaker(confidence, strength) })),
	)
}

/** Whether it is joined to anything by more than the time. */
function isJoined(byLeader: ReadonlyMap<string, readonly StoredMatch[]>, key: string): boolean {
	return (byLeader.get(key) ?? []).some(
		({ strength, partners }) => strength < keyStrengths.weak && partners.length > 0,
	)
}

function weaker(confidence: Confidence, strength: number): Confidence {
	return confidences[Math.max(keyStrengths[confidence], strength) - 1] as Confidence
}

function spansOf(
	byLeader: ReadonlyMap<string, readonly StoredMatch[]>,
	key: string,
	confidence: Confidence,
): SureSpan[] {
	const [match] = byLeader.get(key) ?? []
	if (!match) return []
	return [...new Set([match.leader, ...match.hides])].map((span) => ({
		trace: match.trace,
		span,
		confidence,
	}))
}

import type { OutputOf, QueryOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import type { QueryStore } from './repository.ts'
import { type ScoreSums, sumScores } from './score-repository.ts'

type Operation = (typeof spotlightOperations)['scores']

/** Scores by their names. */
export async function readScores(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ start: _start, end: _end, limit, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const found = await sumScores(store, workspaceId, range, { filter, limit })
	return { start: toIso(range.startMs), end: toIso(range.endMs), scores: found.map(present) }
}

function present(sums: ScoreSums): OutputOf<Operation>['scores'][number] {
	const [labels, counts] = sums.labels
	const hasNumbers = sums.numbers !== '0'
	return {
		name: sums.name,
		scores: Number(sums.scores),
		average: hasNumbers ? sums.average : null,
		min: hasNumbers ? sums.least : null,
		max: hasNumbers ? sums.most : null,
		median: hasNumbers ? sums.median : null,
		labels: labels
			.map((label, at) => ({ label, scores: Number(counts[at]) }))
			.sort((a, b) => b.scores - a.scores || (a.label < b.label ? -1 : 1))
			.slice(0, mostLabels),
		last_scored_at: toIso(Number(sums.last_ms)),
	}
}

/** A label that is free text would fill the answer. */
const mostLabels = 50

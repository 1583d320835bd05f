import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import { type Score, type ScoredObject, scoresOfQuery } from './queries.ts'
import { ScoreForm } from './score-form.tsx'
import { sourceTexts, valueText } from './score-texts.ts'

/** The scores of one trace or session, and a form to add one. */
export function ScoresPanel({ scored }: { scored: ScoredObject }) {
	const { data, error } = useQuery(scoresOfQuery(scored))
	const [isScoring, setIsScoring] = useState(false)
	const canScore = useCan('scores:write')
	return (
		<Panel
			title="Scores"
			actions={
				!isScoring && (
					<Button small icon="plus" disabled={!canScore} onClick={() => setIsScoring(true)}>
						Add score
					</Button>
				)
			}
		>
			{error && <InlineError error={error} />}
			{data?.scores.length === 0 && !isScoring && <p className="text-ink-3">No scores yet</p>}
			{data && data.scores.length > 0 && (
				<ul className="grid gap-2">
					{data.scores.map((score) => (
						<OneScore key={score.id} score={score} />
					))}
				</ul>
			)}
			{isScoring && <ScoreForm scored={scored} onDone={() => setIsScoring(false)} />}
		</Panel>
	)
}

function OneScore({ score }: { score: Score }) {
	return (
		<li className="min-w-0">
			<span className="flex flex-wrap items-baseline justify-between gap-x-3">
				<span className="min-w-0 break-words">
					<span className="font-medium">{score.name}</span>{' '}
					<span className="tabular-nums">{score.value === null ? '' : valueText(score)}</span>
				</span>
				<span className="text-xs text-ink-3">
					{score.source && `${sourceTexts[score.source]}, `}
					<Ago at={score.created_at} />
				</span>
			</span>
			{score.comment && <p className="break-words text-ink-2">{score.comment}</p>}
		</li>
	)
}

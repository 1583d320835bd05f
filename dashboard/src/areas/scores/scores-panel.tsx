import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import { judgementsQuery, type Score, type ScoredObject } from './queries.ts'
import { ScoreForm } from './score-form.tsx'
import { sourceTexts, valueText } from './score-texts.ts'

/** The scores of one trace or session, and a form to add one. */
export function ScoresPanel({ judged }: { judged: ScoredObject }) {
	const { data, error } = useQuery(judgementsQuery(judged))
	const [isJudging, setIsJudging] = useState(false)
	const canJudge = useCan('member')
	return (
		<Panel
			title="Scores"
			actions={
				!isJudging && (
					<Button small icon="plus" disabled={!canJudge} onClick={() => setIsJudging(true)}>
						Add score
					</Button>
				)
			}
		>
			{error && <InlineError error={error} />}
			{data?.scores.length === 0 && !isJudging && <p className="text-ink-3">No scores yet</p>}
			{data && data.scores.length > 0 && (
				<ul className="grid gap-2">
					{data.scores.map((score) => (
						<OneScore key={score.id} score={score} />
					))}
				</ul>
			)}
			{isJudging && <ScoreForm judged={judged} onDone={() => setIsJudging(false)} />}
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

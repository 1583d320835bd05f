import { Link } from '@tanstack/react-router'
import { toPathText } from '../../lib/path-text.ts'
import { actionLinkClass } from '../../ui/link.ts'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import type { Score } from './queries.ts'
import { sourceTexts, valueText } from './score-texts.ts'

/** Scores, newest first, each with a link to the scored object. */
export function ScoreTable({ scores }: { scores: readonly Score[] }) {
	return (
		<Table label="Scores, newest first">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th right>Score</Th>
					<Th>Comment</Th>
					<Th>Given by</Th>
					<Th>Scored</Th>
					<Th right>When</Th>
				</tr>
			</thead>
			<tbody>
				{scores.map((score) => (
					<Row key={score.id}>
						<Td className="max-w-48 truncate font-medium">{score.name}</Td>
						<Td right className="max-w-40 truncate">
							{valueText(score)}
						</Td>
						<Td className="max-w-80 truncate text-ink-2" title={score.comment}>
							{score.comment || '–'}
						</Td>
						<Td className="whitespace-nowrap text-ink-2">
							{score.source === null ? 'not said' : sourceTexts[score.source]}
						</Td>
						<Td className="whitespace-nowrap">
							<Subject score={score} />
						</Td>
						<Td right className="text-ink-2">
							<Ago at={score.created_at} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function Subject({ score: { trace_id, span_id, session_id } }: { score: Score }) {
	if (trace_id)
		return (
			<Link
				to="/traces/$traceId"
				params={{ traceId: trace_id }}
				search={span_id ? { span: span_id } : {}}
				className={actionLinkClass}
			>
				{span_id ? 'a call' : 'a trace'}
			</Link>
		)
	if (!session_id) return <span className="text-ink-3">–</span>
	return (
		<Link
			to="/sessions/$sessionId"
			params={{ sessionId: toPathText(session_id) }}
			className={actionLinkClass}
		>
			a session
		</Link>
	)
}

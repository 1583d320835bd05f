import { formatCount } from '../../lib/format.ts'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import type { ScoreFigures } from './queries.ts'
import { numberText } from './score-texts.ts'

interface ScoreFiguresTableProps {
	figures: readonly ScoreFigures[]
	onPick(name: string): void
}

/** Scores grouped by name; clicking a name filters by it. */
export function ScoreFiguresTable({ figures, onPick }: ScoreFiguresTableProps) {
	return (
		<Table label="Scores by name">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th right>Scores</Th>
					<Th right>Average</Th>
					<Th right>Median</Th>
					<Th right>Range</Th>
					<Th>Most frequent</Th>
					<Th right>Last</Th>
				</tr>
			</thead>
			<tbody>
				{figures.map((one) => (
					<Row key={one.name}>
						<Td className="max-w-56">
							<button
								type="button"
								title="Only these scores"
								onClick={() => onPick(one.name)}
								className="block min-h-6 max-w-full truncate text-left font-medium hover:underline"
							>
								{one.name}
							</button>
						</Td>
						<Td right>{formatCount(one.scores)}</Td>
						<Td right>{numberText(one.average)}</Td>
						<Td right>{numberText(one.median)}</Td>
						<Td right className="whitespace-nowrap">
							{one.min === null ? '–' : `${numberText(one.min)} – ${numberText(one.max)}`}
						</Td>
						<Td className="max-w-64 truncate text-ink-2">
							{one.labels
								.slice(0, 3)
								.map(({ label, scores }) => `${label} (${formatCount(scores)})`)
								.join(', ') || '–'}
						</Td>
						<Td right className="text-ink-2">
							<Ago at={one.last_scored_at} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

import { formatDateTime } from '../lib/format.ts'
import type { LineChartProps } from './line-chart.tsx'
import { Row, Table, Td, Th } from './table.tsx'

/** Every value of a chart, the newest first. */
export function SeriesTable({ label, series, format }: Pick<LineChartProps, 'label' | 'series' | 'format'>) {
	const lines = series
		.flatMap(({ name, points }) => points.map(({ start, value }) => ({ name, start, value })))
		.toSorted((a, b) => Date.parse(b.start) - Date.parse(a.start))
	return (
		<div className="max-h-80 overflow-y-auto">
			<Table label={label}>
				<thead>
					<tr>
						<Th>From</Th>
						<Th>Series</Th>
						<Th right>Value</Th>
					</tr>
				</thead>
				<tbody>
					{lines.map(({ name, start, value }) => (
						<Row key={`${start} ${name}`}>
							<Td className="tabular-nums">{formatDateTime(start)}</Td>
							<Td>{name || '(none)'}</Td>
							<Td right>{format(value)}</Td>
						</Row>
					))}
				</tbody>
			</Table>
		</div>
	)
}

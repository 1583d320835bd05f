import { formatDateTime } from '../lib/format.ts'
import { Row, Table, Td, Th } from './table.tsx'
import type { TimeChartProps } from './time-chart.tsx'

/** Every value of a chart, newest first. */
export function SeriesTable({ label, series, format }: Pick<TimeChartProps, 'label' | 'series' | 'format'>) {
	const lines = series
		.flatMap(({ name, points }) =>
			points.flatMap(({ start, value }) => (value === null ? [] : [{ name, start, value }])),
		)
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

import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'

/** One column of an insight's table. */
export interface Column<T> {
	label: string
	right?: boolean
	/** Long text is truncated, and shown in full as its title. */
	long?: boolean
	cell(row: T): ReactNode
}

interface InsightPanelProps<T> {
	label: string
	/** A sentence on what the list shows. */
	text: string
	query: {
		data: { rows: readonly T[]; total: number; truncated: boolean } | undefined
		error: unknown
		refetch(): unknown
	}
	columns: readonly Column<T>[]
	keyOf(row: T): string
	/** What an empty list means. */
	empty: { title: string; text: string }
}

/** The findings of an insight as a table, the most important first. */
export function InsightPanel<T>({ label, text, query, columns, keyOf, empty }: InsightPanelProps<T>) {
	const { data, error, refetch } = query
	return (
		<Panel
			title={data ? `${label}: ${formatCount(data.total)}${data.truncated ? ' and more' : ''}` : label}
			flush
		>
			<p className="border-b border-line px-4 py-2 text-ink-2">{text}</p>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={6} />
			) : data.rows.length === 0 ? (
				<Empty icon="check" title={empty.title}>
					{empty.text}
				</Empty>
			) : (
				<Table label={label}>
					<thead>
						<tr>
							{columns.map((column) => (
								<Th key={column.label} right={column.right ?? false}>
									{column.label}
								</Th>
							))}
						</tr>
					</thead>
					<tbody>
						{data.rows.map((row) => (
							<Row key={keyOf(row)}>
								{columns.map((column) => (
									<Td
										key={column.label}
										right={column.right ?? false}
										className={column.long ? 'max-w-64 truncate' : 'whitespace-nowrap'}
									>
										{column.cell(row)}
									</Td>
								))}
							</Row>
						))}
					</tbody>
				</Table>
			)}
			{data && data.total > data.rows.length && (
				<p className="border-t border-line px-4 py-2 text-xs text-ink-3">
					The first {formatCount(data.rows.length)} are shown. Choose an agent or a server to see others.
				</p>
			)}
		</Panel>
	)
}

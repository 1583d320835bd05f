import { Link } from '@tanstack/react-router'
import { formatCount, formatMs } from '../../lib/format.ts'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { type Column, columns } from './layout.ts'
import { linkOf } from './links.ts'
import type { TrafficLine } from './traffic-lines.ts'

/** The map as a table: every line, largest first. */
export function TrafficTable({ lines }: { lines: readonly TrafficLine[] }) {
	return (
		<Table label="Who called what">
			<thead>
				<tr>
					<Th>Agent</Th>
					<Th>Server or connection</Th>
					<Th>Tool or model</Th>
					<Th right>Calls</Th>
					<Th right>Errors</Th>
					<Th right>p95</Th>
				</tr>
			</thead>
			<tbody>
				{lines
					.toSorted((a, b) => b.calls - a.calls)
					.map((line) => (
						<Row key={`${line.agent.key} ${line.target.key}`}>
							{columns.map((column) => (
								<Td key={column} className="max-w-56 min-w-32">
									<PartyLink line={line} column={column} />
								</Td>
							))}
							<Td right>{formatCount(line.calls)}</Td>
							<Td right className={line.errors > 0 ? 'text-bad' : 'text-ink-3'}>
								{formatCount(line.errors)}
							</Td>
							<Td right>{formatMs(line.p95)}</Td>
						</Row>
					))}
			</tbody>
		</Table>
	)
}

function PartyLink({ line, column }: { line: TrafficLine; column: Column }) {
	const party = line[column]
	return (
		<Link
			{...linkOf({ ...party, column, kind: line.kind })}
			className="flex min-h-6 items-center hover:underline"
		>
			<span className="truncate">{party.name}</span>
		</Link>
	)
}

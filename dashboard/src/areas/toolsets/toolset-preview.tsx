import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api.ts'
import { formatCounted } from '../../lib/format.ts'
import { InlineError, Skeleton } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { previewQuery, type ToolsetContent } from './queries.ts'
import { ordered } from './toolset-content.ts'

/** Who would gain and lose which tools, taking all other grants into account. */
export function ToolsetPreview({ id, content }: { id: string; content: ToolsetContent }) {
	const { data, error } = useQuery(previewQuery(id, ordered(content)))
	if (error) return <InlineError error={error} />
	if (!data) return <Skeleton className="h-4 w-64" />
	if (data.agents_changed === 0)
		return <p className="text-ink-2">No agent gains or loses a tool by this change.</p>
	return (
		<>
			<p role="status" className="mb-2 text-ink-2">
				{formatCounted(data.agents_changed, 'agent')}:{' '}
				<span className="font-medium text-ok">+{formatCounted(data.tools_gained, 'tool')}</span>{' '}
				<span className="font-medium text-bad">−{formatCounted(data.tools_lost, 'tool')}</span>
			</p>
			<div className="max-h-52 overflow-y-auto rounded-lg border border-line">
				<Differences changes={data.changes} />
			</div>
		</>
	)
}

function Differences({ changes }: { changes: Schemas['ToolsetPreview']['changes'] }) {
	return (
		<Table label="Gained and lost access">
			<thead>
				<tr>
					<Th>Agent</Th>
					<Th>Server</Th>
					<Th>Gains</Th>
					<Th>Loses</Th>
				</tr>
			</thead>
			<tbody>
				{changes.map(({ agent, server, gained, lost }) => (
					<Row key={agent.uuid + server.id}>
						<Td className="font-medium">{agent.name}</Td>
						<Td>{server.name}</Td>
						<Td className="font-mono text-xs text-ok">{gained.join(', ') || '–'}</Td>
						<Td className="font-mono text-xs text-bad">{lost.join(', ') || '–'}</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

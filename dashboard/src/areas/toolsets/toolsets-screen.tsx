import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { ListScreen } from '../../ui/list-screen.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { GroupLinks } from '../agents/group-links.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { CreateToolsetDialog } from './create-toolset-dialog.tsx'
import { type Toolset, toolsetsQuery } from './queries.ts'

const route = getRouteApi('/_app/toolsets/')

/** Which sets of tools are given to which groups? */
export function ToolsetsScreen() {
	const { q, create, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const query = useQuery(toolsetsQuery({ ...(q && { q }), page, limit: 50 }))
	return (
		<ListScreen
			title="Toolsets"
			description="A toolset is a named list of tools over servers, given to groups of agents: one change reaches all of them."
			action={
				<Button
					variant="primary"
					icon="plus"
					disabled={!useCan('access:write')}
					onClick={() => void navigate({ search: (old) => ({ ...old, create: true }) })}
				>
					Create toolset
				</Button>
			}
			hint={<RoleHint needs="access:write" what="change toolsets" />}
			query={query}
			q={q}
			onSearch={(text) => void navigate({ search: text ? { q: text } : {}, replace: true })}
			onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
			empty={{
				icon: 'tool',
				what: 'toolset',
				text: 'Create one for each kind of work, such as “Support desk”, choose its tools, and give it to a group. Agents in the group have the tools at once.',
			}}
			table={({ toolsets }) => (toolsets.length > 0 ? <ToolsetTable toolsets={toolsets} /> : null)}
		>
			<CreateToolsetDialog open={create === true} onClose={() => void navigate({ search: q ? { q } : {} })} />
		</ListScreen>
	)
}

function ToolsetTable({ toolsets }: { toolsets: readonly Toolset[] }) {
	return (
		<Table label="Toolsets">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Groups</Th>
					<Th right>Servers</Th>
					<Th right>Tools</Th>
					<Th right>Agents</Th>
					<Th right>Changed</Th>
				</tr>
			</thead>
			<tbody>
				{toolsets.map((toolset) => (
					<Row key={toolset.id}>
						<Td className="max-w-96">
							<Link
								to="/toolsets/$toolsetId"
								params={{ toolsetId: toolset.id }}
								className="block truncate font-medium hover:underline"
							>
								{toolset.name}
							</Link>
							{toolset.description && (
								<span className="block truncate text-xs text-ink-3">{toolset.description}</span>
							)}
						</Td>
						<Td className="max-w-64">
							<GroupLinks groups={toolset.groups} />
						</Td>
						<Td right>{toolset.tools.length}</Td>
						<Td right>{toolset.tools.reduce((sum, { tools }) => sum + tools.length, 0)}</Td>
						<Td right>{toolset.agent_count}</Td>
						<Td right className="text-ink-2">
							<Ago at={toolset.updated_at} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

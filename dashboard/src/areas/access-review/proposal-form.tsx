import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { GrantEditor } from '../access-grants/grant-editor.tsx'
import { noLimits } from '../access-grants/grant-limits.ts'
import { LimitsEditor } from '../access-grants/limits-editor.tsx'
import { agentAccessQuery } from '../access-grants/queries.ts'
import { allAgentsQuery } from '../agents/queries.ts'
import { allServersQuery, toolsQuery } from '../servers/queries.ts'
import { type GrantFields, type ProposedPair, withGrant, withRemoval } from './proposal.ts'

interface ProposalFormProps {
	changes: readonly ProposedPair[]
	onChange(changes: ProposedPair[]): void
}

/** One existing grant, which can be changed in the proposal. */
export function ProposalForm({ changes, onChange }: ProposalFormProps) {
	const [agentId, setAgentId] = useState('')
	const [serverId, setServerId] = useState('')
	const { data: agents } = useQuery(allAgentsQuery)
	const { data: servers } = useQuery(allServersQuery)
	return (
		<div className="grid gap-4">
			<div className="grid gap-4 sm:grid-cols-2">
				<Field label="Agent">
					{(field) => (
						<Select {...field} value={agentId} onChange={(event) => setAgentId(event.target.value)}>
							<option value="">Choose…</option>
							{(agents?.agents ?? []).map(({ uuid, name }) => (
								<option key={uuid} value={uuid}>
									{name}
								</option>
							))}
						</Select>
					)}
				</Field>
				<Field label="Server">
					{(field) => (
						<Select {...field} value={serverId} onChange={(event) => setServerId(event.target.value)}>
							<option value="">Choose…</option>
							{(servers?.mcp_servers ?? []).map(({ id, name }) => (
								<option key={id} value={id}>
									{name}
								</option>
							))}
						</Select>
					)}
				</Field>
			</div>
			{agentId && serverId && (
				<GrantProposal
					key={agentId + serverId}
					pair={{ agent_uuid: agentId, server_id: serverId }}
					changes={changes}
					onChange={onChange}
				/>
			)}
		</div>
	)
}

interface GrantProposalProps extends ProposalFormProps {
	pair: { agent_uuid: string; server_id: string }
}

function GrantProposal({ pair, changes, onChange }: GrantProposalProps) {
	const access = useQuery(agentAccessQuery(pair.agent_uuid))
	const tools = useQuery(toolsQuery(pair.server_id))
	const error = access.error ?? tools.error
	if (error) return <InlineError error={error} />
	if (!access.data || !tools.data) return <SkeletonRows />
	const grant = access.data.access.find(
		({ grant: { server_id, source } }) => server_id === pair.server_id && source.kind === 'manual',
	)?.grant
	const propose = (fields: GrantFields) =>
		onChange(withGrant(changes, pair, grant ? 'update' : 'create', fields))
	return (
		<>
			<p className="text-ink-2">
				{grant ? 'The grant as it is now; what you change goes into the proposal.' : 'No direct grants yet.'}
			</p>
			<GrantEditor
				name={`proposed ${pair.agent_uuid} ${pair.server_id}`}
				granted={grant ?? null}
				tools={tools.data.tools}
				action="Propose these tools"
				busy={false}
				onSave={async (choice) => propose(choice)}
			/>
			<LimitsEditor
				name={`proposed ${pair.agent_uuid} ${pair.server_id}`}
				limits={grant ?? noLimits}
				tools={tools.data.tools.map(({ name }) => name)}
				action="Suggest these limits"
				busy={false}
				disabled={false}
				onSave={async (limits) => propose(limits)}
			/>
			{grant && (
				<Button
					variant="danger"
					icon="trash"
					className="justify-self-start"
					onClick={() => onChange(withRemoval(changes, pair))}
				>
					Propose to remove the access
				</Button>
			)}
		</>
	)
}

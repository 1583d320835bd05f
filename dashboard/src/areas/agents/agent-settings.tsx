import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { type Named, NameFields } from '../../ui/name-fields.tsx'
import { DeletePanel, FormPanel } from '../../ui/settings-panels.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { rolesFor, useCan } from '../identity/session.ts'
import { CallLimitsPanel } from './call-limits-panel.tsx'
import { GroupsField } from './groups-field.tsx'
import { ModelAccessPanel } from './model-access-panel.tsx'
import { type Agent, accessOfAgents, refreshAgents, useChangeAgent } from './queries.ts'
import { ToolListingPanel } from './tool-listing-panel.tsx'

export function AgentSettings({ agent }: { agent: Agent }) {
	return (
		<div className="grid gap-4">
			<RoleHint needs="agents:write" what="change an agent" />
			<Details agent={agent} />
			<GroupsPanel agent={agent} />
			<ModelAccessPanel agent={agent} />
			<CallLimitsPanel agent={agent} />
			<ToolListingPanel agent={agent} />
			<DeleteAgent agent={agent} />
		</div>
	)
}

function Details({ agent }: { agent: Agent }) {
	const { name, description } = agent
	const edited = useDraft<Named>({ name, description }, `agent ${agent.uuid}`)
	const canChange = useCan('agents:write')
	const save = useChangeAgent(agent)
	return (
		<FormPanel
			title="Details"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange}
			error={save.error}
			onSave={() => save.mutate(edited.changes, { onSuccess: edited.reset })}
		>
			<NameFields value={edited.draft} onChange={edited.setDraft} disabled={!canChange} />
		</FormPanel>
	)
}

function GroupsPanel({ agent }: { agent: Agent }) {
	const edited = useDraft({ groups: agent.groups.toSorted() }, `groups of ${agent.uuid}`)
	const { draft, setDraft } = edited
	const canChange = useCan(accessOfAgents)
	const save = useChangeAgent(agent)
	return (
		<FormPanel
			title="Groups"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange}
			error={save.error}
			onSave={() => save.mutate(draft)}
		>
			<p className="text-ink-2">
				Toolsets are given to groups: an agent has the tools of every toolset of its groups.
				{!canChange && ` To change them you need the role ${rolesFor(accessOfAgents)}.`}
			</p>
			<GroupsField
				groups={draft.groups}
				onChange={(groups) => setDraft({ groups: groups.toSorted() })}
				disabled={!canChange}
			/>
		</FormPanel>
	)
}

function DeleteAgent({ agent }: { agent: Agent }) {
	const canChange = useCan('agents:delete')
	const queries = useQueryClient()
	const navigate = useNavigate()
	const remove = async () => {
		await unwrap(api.DELETE('/v1/agents/{id}', { params: { path: { id: agent.uuid } } }))
		await navigate({ to: '/agents' })
		await refreshAgents(queries)
	}
	return (
		<DeletePanel
			what="agent"
			name={agent.name}
			note="Its keys and grants are deleted. Its recorded activity is kept."
			text="Its keys stop working immediately. This cannot be undone."
			disabled={!canChange}
			run={remove}
		/>
	)
}

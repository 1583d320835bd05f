import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { CreateDialog } from '../../ui/create-dialog.tsx'
import type { Named } from '../../ui/name-fields.tsx'
import { refreshAgents } from './queries.ts'

export function CreateAgentDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const create = useMutation({
		mutationFn: (body: Named) => unwrap(api.POST('/v1/agents', { body })),
		onSuccess: async (agent) => {
			await refreshAgents(queries)
			await navigate({ to: '/agents/$agentId', params: { agentId: agent.uuid } })
		},
	})
	return (
		<CreateDialog
			open={open}
			onClose={onClose}
			title="Create an agent"
			description="You add keys and access next."
			action="Create agent"
			hint="The caller, for example billing-bot or Ada’s Claude Code"
			create={create}
		/>
	)
}

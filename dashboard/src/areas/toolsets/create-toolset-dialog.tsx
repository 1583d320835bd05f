import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { CreateDialog } from '../../ui/create-dialog.tsx'
import type { Named } from '../../ui/name-fields.tsx'
import { refreshToolsets } from './queries.ts'

export function CreateToolsetDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const create = useMutation({
		mutationFn: (body: Named) => unwrap(api.POST('/v1/toolsets', { body })),
		onSuccess: async (toolset) => {
			await refreshToolsets(queries)
			await navigate({ to: '/toolsets/$toolsetId', params: { toolsetId: toolset.id } })
		},
	})
	return (
		<CreateDialog
			open={open}
			onClose={onClose}
			title="Create a toolset"
			description="It has no effect until it has tools and groups."
			action="Create toolset"
			hint="What it is for, for example Support desk"
			create={create}
		/>
	)
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeShown } from '../../api.ts'
import { Panel } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ToolLimits } from '../call-limits/call-limits.ts'
import { ToolLimitsEditor } from '../call-limits/tool-limits-editor.tsx'
import { useCan } from '../identity/session.ts'
import { refreshServers, type Server, toolsQuery } from './queries.ts'

/** Limits of the calls of all agents together on a server. */
export function CallLimitsPanel({ server }: { server: Server }) {
	const canChange = useCan('servers:write')
	const queries = useQueryClient()
	const { data } = useQuery(toolsQuery(server.id))
	const save = useMutation({
		mutationFn: (call_limits: ToolLimits) =>
			changeShown('/v1/mcp/servers/{id}', { id: server.id }, server, { call_limits }),
		onSuccess: () => {
			toast('Saved')
			return refreshServers(queries)
		},
	})
	return (
		<Panel title="Call limits">
			<p className="mb-4 max-w-lg text-ink-2">
				Of the calls of all agents together. Each process of Signalbox counts for itself.
			</p>
			<ToolLimitsEditor
				name={server.id}
				limits={server.call_limits}
				tools={data?.tools.map(({ name }) => name) ?? []}
				busy={save.isPending}
				error={save.error}
				disabled={!canChange}
				onSave={save.mutateAsync}
			/>
		</Panel>
	)
}

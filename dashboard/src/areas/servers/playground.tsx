import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { toPathText } from '../../lib/path-text.ts'
import { showHidden } from '../../lib/show-hidden.ts'
import { Field, Select } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { ArgumentEditor } from './argument-editor.tsx'
import type { Arguments } from './argument-form.ts'
import { type Server, toolsQuery } from './queries.ts'
import { ToolCallResult } from './tool-call-result.tsx'

const route = getRouteApi('/_app/servers/$serverId')

/** Calls a tool by hand, as one of the agents or as oneself; the call is recorded like any other. */
export function Playground({ server }: { server: Server }) {
	const { tool: wanted } = route.useSearch()
	const navigate = route.useNavigate()
	const canChange = useCan('servers:write')
	const [agentId, setAgentId] = useState('')
	const { data: agents } = useQuery(allAgentsQuery)
	const { data, error, refetch } = useQuery(toolsQuery(server.id))
	const tool = data?.tools.find(({ name }) => name === wanted) ?? data?.tools[0]
	const call = useMutation({
		mutationFn: (args: Arguments) =>
			unwrap(
				api.POST('/v1/mcp/servers/{id}/tools/{name}/call', {
					params: { path: { id: server.id, name: toPathText(tool?.name ?? '') } },
					body: { arguments: args, ...(agentId && { agent_uuid: agentId }) },
				}),
			),
	})
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <SkeletonRows />
	if (!tool)
		return (
			<Panel>
				<Empty icon="tool" title="There is no tool to try">
					The server offers none, or it could not be asked yet: check its health, then ask again under Tools.
				</Empty>
			</Panel>
		)
	return (
		<div className="grid gap-4">
			<RoleHint needs="servers:write" what="call tools from the playground" />
			<Panel title="Call a tool">
				<div className="mb-4 grid gap-4 sm:grid-cols-2">
					<Field label="Tool" hint={showHidden(tool.description ?? '')}>
						{(field) => (
							<Select
								{...field}
								value={tool.name}
								onChange={(event) => {
									call.reset()
									void navigate({ search: { tab: 'playground', tool: event.target.value }, replace: true })
								}}
							>
								{data.tools.map(({ name }) => (
									<option key={name} value={name}>
										{showHidden(name)}
									</option>
								))}
							</Select>
						)}
					</Field>
					<Field
						label="As"
						hint={
							agentId
								? 'The grants of this agent decide, as in the gateway.'
								: 'Your own call: no grant decides.'
						}
					>
						{(field) => (
							<Select {...field} value={agentId} onChange={(event) => setAgentId(event.target.value)}>
								<option value="">Yourself</option>
								{(agents?.agents ?? []).map(({ uuid, name }) => (
									<option key={uuid} value={uuid}>
										{name}
									</option>
								))}
							</Select>
						)}
					</Field>
				</div>
				<ArgumentEditor
					key={tool.hash}
					schema={tool.input_schema}
					busy={call.isPending}
					disabled={!canChange}
					onCall={call.mutate}
				/>
			</Panel>
			<ToolCallResult result={call.data} error={call.error} />
		</div>
	)
}

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, changeShown, type Schemas, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'
import type { ToolLimits } from '../call-limits/call-limits.ts'
import type { GrantLimits } from './grant-limits.ts'

export type GrantOfAgent = Schemas['GrantOfAgent']

/** What is granted: everything, or lists of tools, prompts and resources. */
export interface GrantChoice {
	access_mode: 'all' | 'selected'
	/** Null with `all`, like the other lists. */
	allowed_tools: string[] | null
	allowed_prompts: string[] | null
	/** URIs and patterns. */
	allowed_resources: string[] | null
}

export function agentAccessQuery(agentId: string) {
	return queryOptions({
		queryKey: ['agents', agentId, 'access'],
		queryFn: () => unwrap(api.GET('/v1/agents/{id}/access', { params: { path: { id: agentId } } })),
		refetchInterval: 10_000,
	})
}

/** Changes of one agent's grant on one server, as it is shown; all screens that show it are refreshed. */
export function useGrant(serverId: string, agentId: string, shown: object | null = null) {
	const queries = useQueryClient()
	const path = { id: serverId, agentId }
	const onSuccess = (text: string) => async (made?: { warnings: string[] }) => {
		toast([text, ...(made?.warnings ?? [])].join('. '))
		await Promise.all([
			queries.invalidateQueries({ queryKey: ['servers'] }),
			queries.invalidateQueries({ queryKey: ['agents'] }),
		])
	}
	const create = useMutation({
		mutationFn: (choice: GrantChoice) =>
			unwrap(
				api.POST('/v1/mcp/servers/{id}/access', {
					params: { path: { id: serverId } },
					body: { agent_uuid: agentId, ...choice },
				}),
			),
		onSuccess: onSuccess('Access granted'),
	})
	const update = useMutation({
		mutationFn: (
			body: Partial<GrantChoice & GrantLimits> & { enabled?: boolean; call_limits?: ToolLimits },
		) => changeShown('/v1/mcp/servers/{id}/access/{agentId}', path, shown ?? {}, body),
		onSuccess: onSuccess('Access changed'),
	})
	const remove = useMutation({
		mutationFn: () => unwrap(api.DELETE('/v1/mcp/servers/{id}/access/{agentId}', { params: { path } })),
		onSuccess: () => onSuccess('Access removed')(),
	})
	return { create, update, remove }
}

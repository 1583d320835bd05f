import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'

export type UpstreamAuth = Schemas['UpstreamAuth']
export type UpstreamConnection = Schemas['UpstreamConnection']

const byId = (id: string) => ({ params: { path: { id } } })

export function authQuery(serverId: string) {
	return queryOptions({
		queryKey: ['servers', serverId, 'oauth'],
		queryFn: () => unwrap(api.GET('/v1/mcp/servers/{id}/oauth', byId(serverId))),
	})
}

export function upstreamConnectionsQuery(serverId: string) {
	return queryOptions({
		queryKey: ['servers', serverId, 'oauth', 'connections'],
		queryFn: () => unwrap(api.GET('/v1/mcp/servers/{id}/oauth/connections', byId(serverId))),
		refetchInterval: 10_000,
	})
}

export type AuthInput = Pick<UpstreamAuth, 'mode' | 'owner' | 'issuer' | 'client_id' | 'scope'> & {
	client_secret?: string
}

/** Changes of the credentials sent to a server; all screens that show them are refreshed. */
export function useCredentials(serverId: string) {
	const queries = useQueryClient()
	const done = (text: string) => () => {
		toast(text)
		return queries.invalidateQueries({ queryKey: ['servers'] })
	}
	const put = (body: AuthInput | { mode: 'none' }) =>
		unwrap(api.PUT('/v1/mcp/servers/{id}/oauth', { ...byId(serverId), body }))
	const patch = (headers: Record<string, string>) =>
		unwrap(api.PATCH('/v1/mcp/servers/{id}', { ...byId(serverId), body: { headers } }))
	return {
		setOauth: useMutation({ mutationFn: (body: AuthInput) => put(body), onSuccess: done('Saved') }),
		/** Stored headers instead of OAuth; `{}` for none at all. */
		setHeaders: useMutation({
			mutationFn: async (headers: Record<string, string>) => {
				await put({ mode: 'none' })
				return patch(headers)
			},
			onSuccess: done('Saved'),
		}),
		disconnect: useMutation({
			mutationFn: (connectionId: string) =>
				unwrap(
					api.DELETE('/v1/mcp/servers/{id}/oauth/connections/{connectionId}', {
						params: { path: { id: serverId, connectionId } },
					}),
				),
			onSuccess: done('Disconnected'),
		}),
	}
}

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, changeShown, type Schemas, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'

export type PinnedTool = Schemas['PinnedTool']
export type DefinitionList = Schemas['DefinitionList']
export type DefinitionVersion = Schemas['DefinitionVersion']
export type DefinitionDiff = Schemas['DefinitionDiff']
export type DefinitionFlag = Schemas['DefinitionFlag']
export type Policy = DefinitionList['definition_policy']

const definitionsKey = ['definitions'] as const
/** Limits the age of lists if the event stream is lost. */
const pollMs = 15_000
const of = (id: string) => ({ params: { path: { id } } })

export function definitionsQuery(serverId: string) {
	return queryOptions({
		queryKey: [...definitionsKey, serverId, 'list'],
		queryFn: () => unwrap(api.GET('/v1/mcp/servers/{id}/definitions', of(serverId))),
		refetchInterval: pollMs,
	})
}

export function versionsQuery(serverId: string, name: string) {
	return queryOptions({
		queryKey: [...definitionsKey, serverId, 'versions', name],
		queryFn: () =>
			unwrap(
				api.GET('/v1/mcp/servers/{id}/definitions/versions', {
					params: { path: { id: serverId }, query: { name } },
				}),
			),
	})
}

export interface Compared {
	name: string
	/** Absent: the approved definition. */
	from?: string | undefined
	to: string
}

export function diffQuery(serverId: string, { name, from, to }: Compared) {
	return queryOptions({
		queryKey: [...definitionsKey, serverId, 'diff', name, from, to],
		queryFn: () =>
			unwrap(
				api.GET('/v1/mcp/servers/{id}/definitions/diff', {
					params: { path: { id: serverId }, query: { name, to, ...(from && { from }) } },
				}),
			),
	})
}

/** Changed and new tools of all servers that wait for a decision. */
export const pendingDefinitionsQuery = queryOptions({
	queryKey: [...definitionsKey, 'pending'],
	queryFn: () => unwrap(api.GET('/v1/mcp/pending-definitions')),
	refetchInterval: pollMs,
})

export interface Decision {
	name: string
	/** Hash of the definition that was shown; the answer is 409 if it is no longer the current one. */
	hash: string
	decision: 'approve' | 'reject'
}

export function useDecide(serverId: string) {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: (decisions: Decision[]) =>
			unwrap(
				api.POST('/v1/mcp/servers/{id}/definitions/decisions', { ...of(serverId), body: { decisions } }),
			),
		onSuccess: (_list, decisions) => toast(describeDone(decisions)),
		// Also after a failure, because the tool is then not as it was shown.
		onSettled: () => refresh(queries),
	})
}

export function useSetPolicy(serverId: string, shown: Policy) {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: (definition_policy: Policy) =>
			changeShown(
				'/v1/mcp/servers/{id}',
				{ id: serverId },
				{ definition_policy: shown },
				{ definition_policy },
			),
		onSuccess: () => {
			toast('Saved; the tools were evaluated again')
			return refresh(queries)
		},
	})
}

function refresh(queries: ReturnType<typeof useQueryClient>): Promise<unknown> {
	return Promise.all(
		[definitionsKey, ['servers'], ['agents']].map((queryKey) => queries.invalidateQueries({ queryKey })),
	)
}

function describeDone(decisions: readonly Decision[]): string {
	const [first] = decisions
	const done = first?.decision === 'reject' ? 'Rejected' : 'Approved'
	return decisions.length === 1 ? `${done}: ${first?.name}` : `${done}: ${decisions.length} tools`
}

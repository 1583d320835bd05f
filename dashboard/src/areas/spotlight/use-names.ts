import { useQuery } from '@tanstack/react-query'
import { allAgentsQuery } from '../agents/queries.ts'
import { keyNamesQuery } from '../identity/credential-names.ts'
import { allServersQuery } from '../servers/queries.ts'

/** The names by id of what the values of these fields are: calls are filtered and grouped by ids. */
export function useNames(fields: readonly string[]): ReadonlyMap<string, string> {
	const { data: servers } = useQuery({ ...allServersQuery, enabled: fields.includes('server') })
	const { data: agents } = useQuery({ ...allAgentsQuery, enabled: fields.includes('agent') })
	const { data: keys } = useQuery({ ...keyNamesQuery, enabled: fields.includes('key') })
	return new Map([
		...(servers?.mcp_servers ?? []).map(({ id, name }) => [id, name] as const),
		...(agents?.agents ?? []).map(({ uuid, name }) => [uuid, name] as const),
		...(keys?.keys ?? []).map(({ id, name }) => [id, name] as const),
	])
}

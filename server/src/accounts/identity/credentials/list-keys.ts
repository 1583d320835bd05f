import type { keyOperations, OutputOf, QueryOf } from '@signalbox/contract'
import { paginate } from '../../../platform/paging.ts'
import type { IdentityContext } from '../identity-context.ts'
import { keyFamily } from './credential-families.ts'
import { listCredentials } from './credential-repository.ts'
import { presentKey } from './present-credential.ts'

export type KeyQuery = QueryOf<(typeof keyOperations)['list']>
export type KeyPage = OutputOf<(typeof keyOperations)['list']>

/** A page of the keys of a workspace, or with `agent_uuid` of one agent. */
export async function listKeys(
	{ store, clock }: Pick<IdentityContext, 'store' | 'clock'>,
	workspaceId: string,
	query: KeyQuery,
): Promise<KeyPage> {
	const nowMs = clock.nowMs()
	const filter = { kinds: keyFamily.kinds, agentId: query.agent_uuid ?? null, status: query.status }
	const { rows, total } = await listCredentials(store.db, workspaceId, filter, query, nowMs)
	return { keys: rows.map((row) => presentKey(row, nowMs)), pagination: paginate(query, total) }
}

import type { ledgerOperations, OutputOf } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/index.ts'
import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import { listVersions, type StoredVersion } from './repository.ts'

type Version = OutputOf<(typeof ledgerOperations)['versions']>['versions'][number]

/** All versions of a call's rows, the oldest first; none for a call that was never priced anew. */
export async function readVersions(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	call: { trace_id: string; span_id: string },
): Promise<Version[]> {
	return (await listVersions(store, workspaceId, call)).map(presentVersion)
}

function presentVersion({ revision, cost, costs, rates, factors, prices }: StoredVersion): Version {
	const rows = costs.map((amount, at) => ({
		line: at + 1,
		...presentMoney('cost', amount),
		nano_usd_per_million: rates[at] ?? null,
		factor: factors[at] ?? '',
		price: prices[at] || null,
	}))
	return { revision: revision || null, ...presentMoney('cost', cost), rows }
}

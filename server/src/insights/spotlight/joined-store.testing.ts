import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { startTelemetryStore } from '../../telemetry/store.testing.ts'
import { joinArrived } from './joins/join-arrived.ts'

/** A telemetry store in which the views of calls are joined as soon as their spans are stored. */
export async function startJoinedStore(): Promise<TestStore> {
	const started = await startTelemetryStore()
	const { store } = started
	const join = joinArrived(store)
	const insertRowBinary: typeof store.insertRowBinary = async (insert) => {
		await store.insertRowBinary(insert)
		if (insert.table === 'spans') await join()
	}
	return { ...started, store: { ...store, insertRowBinary } }
}

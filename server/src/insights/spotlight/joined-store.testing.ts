import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { systemClock } from '../../platform/clock.ts'
import { startTelemetryStore } from '../../telemetry/store.testing.ts'
import { Joiner } from './joins/join-arrived.ts'

/** A telemetry store in which the views of calls are joined as soon as their spans are stored; `plain` does not join them. */
export async function startJoinedStore(): Promise<TestStore & { plain: TestStore['store'] }> {
	const started = await startTelemetryStore()
	const { store } = started
	const joiner = new Joiner(store, systemClock)
	const insertRowBinary: typeof store.insertRowBinary = async (insert) => {
		await store.insertRowBinary(insert)
		if (insert.table === 'spans') await joiner.join()
	}
	return { ...started, plain: store, store: { ...store, insertRowBinary } }
}

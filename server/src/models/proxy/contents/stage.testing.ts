import { openTestSqlite } from '../../../platform/database/testing.ts'
import type { RuleSet } from '../../../telemetry/index.ts'
import { startTelemetryStore } from '../../../telemetry/store.testing.ts'
import { startProxy } from '../testing/start-proxy.ts'
import { startMockProvider } from '../testing.ts'

/** Workspaces with rules of their own, one of them for content. */
export const ruled = new Set<string>()
const rules: RuleSet['rules'] = [
	{ pattern: 'PX-[0-9]+', label: 'code', appliesTo: ['content'], attributeKeys: [] },
	{ pattern: 'T-[0-9]+', label: 'ticket', appliesTo: ['log_bodies'], attributeKeys: [] },
]

/** The model proxy on a real engine, before a provider that says what a test wants. */
export async function stageContents() {
	const engine = await startTelemetryStore()
	const database = await openTestSqlite()
	const mock = await startMockProvider()
	const proxy = await startProxy(database.store, {
		telemetry: engine.store,
		rulesOf: (id) => (ruled.has(id) ? { key: 'r', rules } : undefined),
	})
	const end = async () => {
		await proxy.close()
		await mock.close()
		await database.end()
		await engine.close()
	}
	return { engine, mock, proxy, end }
}

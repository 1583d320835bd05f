import { startMockProvider } from './mock-provider.ts'
import { callModels } from './models.ts'
import { readCalls, readOverview, readTraces } from './read-back.ts'
import { startReferenceServer } from './reference-server.ts'
import { startSignalbox } from './signalbox.ts'
import { sendSpans } from './telemetry.ts'
import { setUp, useTools } from './tools.ts'

/** The whole way once, on real parts: exits 0 only if every figure is exact. */
async function main(): Promise<void> {
	const started = await Promise.all([startSignalbox(), startReferenceServer(), startMockProvider()])
	const [signalbox, server, provider] = started
	try {
		console.log('Tools')
		const granted = await setUp(signalbox, server.url)
		const tools = await useTools(signalbox, granted)
		console.log('Telemetry')
		const traces = await sendSpans(signalbox)
		await readTraces(signalbox, traces)
		console.log('Models')
		await callModels(signalbox, provider.url, granted.agentKey)
		console.log('Spotlight')
		await readOverview(signalbox, tools)
		await readCalls(signalbox, granted, tools)
		console.log('Everything is exact.')
	} finally {
		await Promise.all(started.map(({ stop }) => stop()))
	}
}

await main()

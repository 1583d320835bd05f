import type { Config } from '../config/config.ts'
import type { Stores } from '../operate/stores/stores.ts'
import type { EngineAddress } from '../platform/clickhouse/store.ts'
import type { Log } from '../platform/log.ts'
import type { PrimaryProcesses } from '../platform/processes/processes.ts'
import type { Ports } from './listeners.ts'
import type { App } from './serve-areas.ts'
import { type BusAddress, openBus } from './workers/bus.ts'
import { superviseWorkers, type Workers } from './workers/supervise-workers.ts'

/** The first message of the primary to a worker; the response means that it serves. */
export interface WorkerStart {
	config: Config
	ports: Ports
	/** The primary's embedded engine, if that is the telemetry store. */
	engine: EngineAddress | undefined
	bus: BusAddress
}

interface WithWorkers {
	config: Config
	ports: Ports
	stores: Stores
	app: App
	/** The handler of the listeners' requests. */
	handle: Parameters<typeof openBus>[0]['handle']
	processes: PrimaryProcesses
	log: Log
}

/** A placeholder before the workers are started, when none of them serves. */
export function pendingWorkers(count: number): Workers {
	const numbers = Array.from({ length: count }, (_, at) => at + 1)
	return { down: () => numbers, restarts: () => 0, stop: async () => undefined }
}

/** Opens the bus to the primary, and starts the workers that use it. */
export async function startWorkers(parts: WithWorkers): Promise<Workers> {
	const { config, ports, stores, app, handle, processes, log } = parts
	const bus = await openBus({ dataDir: config.dataDir, handle, exchange: app.exchange })
	const start: WorkerStart = { config, ports, engine: stores.telemetry.engine, bus: bus.address }
	const workers = await superviseWorkers({ count: config.WORKERS - 1, processes, start, log })
	return {
		...workers,
		stop: async (graceMs) => {
			await workers.stop(graceMs)
			await bus.close()
		},
	}
}

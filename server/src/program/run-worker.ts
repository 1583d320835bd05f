import { openWorkerStores } from '../operate/stores/index.ts'
import { endInOrder } from '../platform/end-in-order.ts'
import { belowBasePath } from '../platform/http/index.ts'
import { createLog } from '../platform/log.ts'
import type { Processes } from '../platform/processes/processes.ts'
import { releaseMemory } from '../platform/release-memory.ts'
import { readVersion } from '../platform/version.ts'
import { createApp } from './app.ts'
import { joinListeners } from './listeners.ts'
import { createForwarder, openProgramsOfPrimary } from './workers/to-primary.ts'
import type { WorkerStart } from './workers-of-program.ts'

/**
 * Serves agents, models and telemetry beside the primary, over the same stores and ports; all else goes to the primary.
 * Resolves with the end: as the primary's, but for what is the primary's alone.
 */
export async function runWorker(
	{ config, ports, engine, bus }: WorkerStart,
	processes: Processes,
): Promise<() => Promise<void>> {
	const { number } = processes
	const log = createLog(config.LOG_LEVEL).child({ worker: number })
	const stores = await openWorkerStores(config, { number, engine, log })
	const programs = openProgramsOfPrimary(bus)
	const toPrimary = { forward: createForwarder(bus), exchange: programs.exchange }
	const ownPorts = () => Object.values(ports).filter((port) => port !== null)
	const version = readVersion()
	const app = await createApp({ config, stores, log, version, ownPorts, processes, toPrimary })
	releaseMemory()
	const handle = belowBasePath(config.PUBLIC_URL, app.handle)
	const listeners = await joinListeners(config, ports, { handle, takesByLane: app.takesByLane })
	return async () => {
		const graceMs = config.STOP_GRACE_SECONDS * 1000
		app.drain()
		await endInOrder(log, [
			['listeners', graceMs + 1000, () => listeners.close(graceMs)],
			['areas', 8000, () => app.close()],
			['programs of the primary', 1000, () => programs.close()],
			['stores', 3000, () => stores.close(2000)],
		])
	}
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../log.ts'
import { openTelemetryStore, type TelemetryStore } from './store.ts'

export interface TestStore {
	store: TelemetryStore
	dataDir: string
	/** Ends the engine and removes the directory. */
	close(): Promise<void>
}

/** A real engine in a new directory without tables, or in the given directory. Takes about half a second. */
export async function startTestStore(given?: string): Promise<TestStore> {
	const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'signalbox-store-')))
	const store = await openTelemetryStore({ dataDir, log: silentLog })
	return {
		store,
		dataDir,
		async close() {
			await store.close()
			await rm(dataDir, { recursive: true, force: true })
		},
	}
}

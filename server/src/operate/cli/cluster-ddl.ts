import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateTelemetryStore, openTelemetryStore, replicatedDdl } from '../../platform/clickhouse/index.ts'
import { createLog } from '../../platform/log.ts'
import { telemetryMigrationsFor } from '../../telemetry/index.ts'

/** The schema of telemetry for a cluster, read from an embedded engine that is made for it and thrown away. */
export async function clusterDdl(cluster: string, retentionDays: number): Promise<string[]> {
	const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-schema-'))
	const store = await openTelemetryStore({ dataDir, log: createLog('silent') })
	try {
		await migrateTelemetryStore(store, telemetryMigrationsFor(retentionDays))
		return await replicatedDdl(store, cluster)
	} finally {
		await store.close()
		await rm(dataDir, { recursive: true, force: true })
	}
}

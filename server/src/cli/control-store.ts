import { existsSync } from 'node:fs'
import { type Audit, openAudit } from '../audit/index.ts'
import { type Config, readConfig } from '../config.ts'
import { systemClock as clock } from '../platform/clock.ts'
import { masterKeyPath, parseMasterKey, readMasterKey } from '../platform/crypto/master-key.ts'
import { createSealer, type Sealer } from '../platform/crypto/seal.ts'
import { type ControlStore, controlStorePath, openControlStore } from '../platform/database/index.ts'
import { createLog } from '../platform/log.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

export interface ControlAccess {
	config: Config
	store: ControlStore
	sealer: Sealer
	audit: Audit
	clock: typeof clock
}

/** Opens the control store of the configured instance for one command, beside the program if that runs. */
export async function withControlStore<T>(work: (access: ControlAccess) => Promise<T>): Promise<T> {
	const config = readConfig()
	const path = controlStorePath(config.dataDir)
	if (!config.DATABASE_URL && !existsSync(path)) throw notStartedYet(path)
	const sealer = createSealer(
		config.MASTER_KEY ? parseMasterKey(config.MASTER_KEY) : readMasterKey(masterKeyPath(config.dataDir)),
	)
	const store = await openControlStore(config.DATABASE_URL, config.dataDir, createLog('silent'))
	try {
		return await work({ config, store, sealer, audit: openAudit({ store, sealer, clock }), clock })
	} finally {
		await store.close()
	}
}

function notStartedYet(path: string): CommandFailure {
	return new CommandFailure(
		exitCodes.notFound,
		`There is no control store at ${path}. Start Signalbox once, or set SIGNALBOX_DATA_DIR.`,
	)
}

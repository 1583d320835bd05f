import { existsSync } from 'node:fs'
import { type Audit, openAudit } from '../../accounts/audit/audit.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { systemClock as clock } from '../../platform/clock.ts'
import { givenMasterKeys, readMasterKeys } from '../../platform/crypto/master-key-file.ts'
import { openKeyring } from '../../platform/crypto/open-keyring.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { controlStorePath, openControlStore } from '../../platform/database/open-control-store.ts'
import { createLog } from '../../platform/log.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

export interface ControlAccess {
	config: Config
	store: ControlStore
	sealer: Keyring
	audit: Audit
	clock: typeof clock
}

/** Opens the control store of the configured instance for one command, also while the program is running. */
export async function withControlStore<T>(work: (access: ControlAccess) => Promise<T>): Promise<T> {
	const config = readConfig()
	const path = controlStorePath(config.dataDir)
	if (!config.DATABASE_URL && !existsSync(path)) throw notStartedYet(path)
	const { MASTER_KEY, MASTER_KEY_PREVIOUS, dataDir } = config
	const keys = MASTER_KEY ? givenMasterKeys(MASTER_KEY, MASTER_KEY_PREVIOUS) : readMasterKeys(dataDir)
	const store = await openControlStore(config.DATABASE_URL, config.dataDir, createLog('silent'))
	try {
		const sealer = await openKeyring(store, keys, clock)
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

import type { Command } from 'commander'
import {
	DirectoryInUse,
	lockDirectory,
	requireOwnUser,
} from '../../platform/clickhouse/embedded/directory-lock.ts'
import { MasterKeyRotation, type MasterKeyState } from '../../platform/crypto/master-key-rotation.ts'
import { createLog } from '../../platform/log.ts'
import { isJson } from './config-commands.ts'
import { type ControlAccess, withControlStore } from './control-store.ts'
import { CommandFailure, exitCodes, printResult } from './outcome.ts'
import { counted } from './terminal.ts'

/** Replaces the master key of an instance that is not running, or completes an interrupted rotation. */
export async function rotateMasterKey(_options: object, command: Command): Promise<void> {
	const { keyId, rotation } = await withControlStore((access) => withDirectory(access, () => rotate(access)))
	if (rotation?.state !== 'done')
		throw new CommandFailure(
			exitCodes.failed,
			`Not all secrets are sealed by the new key: ${rotation?.error ?? 'unknown'} Both keys are kept.`,
		)
	const result = { key_id: keyId, resealed: rotation.done }
	printResult(isJson(command), result, [
		`Sealed by the new master key ${keyId}: ${counted(rotation.done, 'secret')}.`,
	])
}

async function rotate({ config, store, sealer, clock }: ControlAccess): Promise<MasterKeyState> {
	const dataDir = config.MASTER_KEY ? null : config.dataDir
	const log = createLog('silent')
	const work = new MasterKeyRotation({ store, ring: sealer, dataDir, clock, log, settleMs: 0 })
	if (sealer.keyIds.length > 1) work.resume()
	else work.start()
	await work.settled()
	return work.state()
}

/** The directory is locked: under a running program the rotation would remove the key that it seals with. */
async function withDirectory<T>({ config }: ControlAccess, work: () => Promise<T>): Promise<T> {
	const lock = lockOrExplain(config.dataDir)
	try {
		return await work()
	} finally {
		lock.release()
	}
}

function lockOrExplain(dataDir: string) {
	requireOwnUser(dataDir)
	try {
		return lockDirectory(dataDir)
	} catch (error) {
		if (!(error instanceof DirectoryInUse)) throw error
		const how =
			'Stop it, or rotate the key while it runs: POST /v1/instance/master-key/rotate, as an operator.'
		throw new CommandFailure(exitCodes.failed, `Signalbox runs on ${dataDir}. ${how}`)
	}
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Config, ConfigError, readConfig } from '../../config/config.ts'
import { isDirectoryInUse } from '../../platform/clickhouse/embedded/directory-lock.ts'
import { givenMasterKeys, readMasterKeys } from '../../platform/crypto/master-key-file.ts'
import { checkMasterKeys } from '../../platform/crypto/open-keyring.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { controlStorePath, openControlStore } from '../../platform/database/open-control-store.ts'
import { silentLog } from '../../platform/log.ts'
import { isJson } from './config-commands.ts'
import {
	checkClock,
	checkDataDirectory,
	checkDiskSpace,
	checkDiskSpeed,
	checkEngine,
	checkIssuers,
	checkKeyFile,
	checkMail,
	checkMemory,
	checkOpenFiles,
	checkPorts,
	checkPublicUrl,
	checkRuntime,
} from './doctor/doctor-checks.ts'
import { type Finding, fail, ok, reasonOf, warn } from './doctor/finding.ts'
import { type MigrationStatus, readMigrationStatus } from './offline-stores.ts'
import { exitCodes, printResult } from './outcome.ts'

/** Checks everything that an instance needs; changes nothing. */
export async function examine(): Promise<Finding[]> {
	const config = settingsOrMistakes()
	if (Array.isArray(config)) return [checkRuntime(), ...config]
	const directory = checkDataDirectory(config)
	const findings = [checkRuntime(), ok('settings', 'are valid'), directory, checkKeyFile(config)]
	// The following checks need a usable directory.
	if (directory.status === 'fail') return findings
	const running = isDirectoryInUse(config.dataDir)
	return [
		...findings,
		ok('program', running ? `runs on ${config.dataDir}` : 'does not run'),
		checkClock(config),
		checkMemory(config),
		checkOpenFiles(),
		checkDiskSpace(config),
		checkDiskSpeed(config),
		await checkEngine(config),
		...(await checkStores(config)),
		...(await checkPorts(config, running)),
		...(await checkPublicUrl(config, running)),
		...(await checkMail(config)),
		...(await checkIssuers(config)),
	]
}

function settingsOrMistakes(): Config | Finding[] {
	try {
		return readConfig()
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error
		return error.mistakes.map((mistake) => fail('settings', String(mistake), 'correct the setting'))
	}
}

/**
 * Checks whether both stores respond, which migrations are missing, and whether the master key belongs to the store. Changes
 * nothing.
 */
async function checkStores(config: Config): Promise<Finding[]> {
	try {
		const { control_store, telemetry_store } = await readMigrationStatus(config)
		return [
			checkControl(control_store),
			checkTelemetry(telemetry_store),
			...(await checkKey(config, control_store)),
		]
	} catch (error) {
		const isEmbedded = config.DATABASE_URL === null && config.CLICKHOUSE_URL === null
		const fix = isEmbedded
			? 'correct what the message names, or restore a backup into a new data directory'
			: 'start the database, or correct DATABASE_URL or CLICKHOUSE_URL'
		return [fail('stores', reasonOf(error), fix)]
	}
}

function checkControl({ applied, pending, unknown }: MigrationStatus['control_store']): Finding {
	const check = 'control store'
	if (unknown.length > 0)
		return fail(
			check,
			`has ${unknown.join(', ')} of a newer Signalbox`,
			'start that version, or restore a backup',
		)
	if (applied.length === 0) return ok(check, 'is empty: the first start fills it')
	if (pending.length > 0)
		return warn(
			check,
			`lacks ${pending.join(', ')}`,
			'the next start migrates it; `signalbox backup create` first',
		)
	return ok(check, `answers and is up to date (${applied.at(-1)})`)
}

function checkTelemetry({ version, newest }: MigrationStatus['telemetry_store']): Finding {
	const check = 'telemetry store'
	if (version === null) return ok(check, 'is in use by the running program')
	if (version > newest)
		return fail(check, `has schema ${version}, this program knows ${newest}`, 'start the newer version')
	if (version === 0) return ok(check, 'is empty: the first start fills it')
	return version < newest
		? warn(check, `has schema ${version} of ${newest}`, 'the next start migrates it')
		: ok(check, `answers and is up to date (${version})`)
}

/** Only a store with the current schema can be queried. */
async function checkKey(
	config: Config,
	{ applied, pending }: MigrationStatus['control_store'],
): Promise<Finding[]> {
	const { MASTER_KEY, MASTER_KEY_PREVIOUS, DATABASE_URL, dataDir } = config
	if (applied.length === 0 || pending.length > 0) return []
	if (MASTER_KEY === null && !existsSync(join(dataDir, 'master.key'))) return []
	if (DATABASE_URL === null && !existsSync(controlStorePath(dataDir))) return []
	let store: ControlStore | null = null
	try {
		const keys = MASTER_KEY ? givenMasterKeys(MASTER_KEY, MASTER_KEY_PREVIOUS) : readMasterKeys(dataDir)
		store = await openControlStore(DATABASE_URL, dataDir, silentLog)
		await checkMasterKeys(store, keys)
		return [ok('master key fits', 'it opens what the control store has sealed')]
	} catch (error) {
		return [
			fail('master key fits', reasonOf(error), 'give back the right key: nothing else opens the secrets'),
		]
	} finally {
		await store?.close()
	}
}

export function addDoctorCommand(program: Command): void {
	program
		.command('doctor')
		.description('Check everything that an instance needs, and say how to fix what is wrong')
		.action(async (_options: object, command: Command) => {
			const findings = await examine()
			printResult(isJson(command), { findings }, findings.flatMap(toLines))
			if (findings.some(({ status }) => status === 'fail')) process.exitCode = exitCodes.failed
		})
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function toLines({ check, status, detail, fix }: Finding): string[] {
	const line = `${styleText(colours[status], status.padEnd(4))}  ${check}: ${detail}`
	return fix ? [line, `      → ${fix}`] : [line]
}

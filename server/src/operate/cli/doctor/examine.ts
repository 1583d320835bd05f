import { type Config, ConfigError, readConfig } from '../../../config/config.ts'
import { type Finding, fail, ok } from './finding.ts'
import {
	checkClock,
	checkDataDirectory,
	checkDiskSpace,
	checkDiskSpeed,
	checkEngine,
	checkKeyFile,
	checkRuntime,
} from './machine-checks.ts'
import { checkIssuers, checkMail, checkPorts, checkPublicUrl, isRunning } from './network-checks.ts'
import { checkStores } from './store-checks.ts'

/** Looks at everything that an instance needs; changes nothing. */
export async function examine(): Promise<Finding[]> {
	const config = settingsOrMistakes()
	if (Array.isArray(config)) return [checkRuntime(), ...config]
	const directory = checkDataDirectory(config)
	const findings = [checkRuntime(), ok('settings', 'are valid'), directory, checkKeyFile(config)]
	// Nothing below can be said about a directory that cannot be used.
	if (directory.status === 'fail') return findings
	const running = isRunning(config)
	return [
		...findings,
		ok('program', running ? `runs on ${config.dataDir}` : 'does not run'),
		checkClock(config),
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

import { readConfig } from './config/config.ts'
import { explainFullDisk } from './platform/disk-full.ts'
import { explainForeignFile } from './platform/file-owners.ts'
import { run } from './program/run.ts'

/** Start and stop: the first SIGTERM, SIGINT or SIGHUP ends in order, a second SIGTERM or SIGINT at once. */
async function main(): Promise<void> {
	// Everything that is written belongs to this user alone.
	process.umask(0o077)
	const config = readConfig()
	const running = await run(config).catch((error: unknown) => {
		const explained = explainFullDisk(error, config.dataDir) ?? explainForeignFile(config.dataDir)
		throw explained === null ? error : new Error(explained, { cause: error })
	})
	let stopping = false
	const onSignal = (signal: NodeJS.Signals) => {
		// A terminal that closes may send SIGHUP twice: from its system and from its shell.
		if (stopping && signal === 'SIGHUP') return
		if (stopping) process.exit(1)
		stopping = true
		running.stop().then(
			() => process.exit(0),
			(error: unknown) => fail(error),
		)
	}
	process.on('SIGTERM', onSignal)
	process.on('SIGINT', onSignal)
	process.on('SIGHUP', onSignal)
}

/** What an operator can mend is told in a sentence; anything else comes with its stack. */
function fail(error: unknown): never {
	const readable =
		error instanceof Error &&
		!(error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
	const text = readable
		? withCauses(error)
		: `Signalbox met a bug: ${error instanceof Error ? error.stack : String(error)}`
	process.stderr.write(`${text}\n`)
	process.exit(1)
}

function withCauses(error: Error): string {
	return error.cause instanceof Error
		? `${error.message}\n  caused by: ${withCauses(error.cause)}`
		: error.message
}

main().catch(fail)

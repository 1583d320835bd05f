import { ConfigError, readConfig } from './config.ts'
import { run } from './run.ts'

/** Start and stop: the first SIGTERM or SIGINT ends in order, a second one at once. */
async function main(): Promise<void> {
	const running = await run(readConfig())
	let stopping = false
	const onSignal = () => {
		if (stopping) process.exit(1)
		stopping = true
		running.stop().then(
			() => process.exit(0),
			(error: unknown) => fail(error),
		)
	}
	process.on('SIGTERM', onSignal)
	process.on('SIGINT', onSignal)
}

function fail(error: unknown): never {
	const text = error instanceof ConfigError ? error.message : `Signalbox could not go on: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
	process.stderr.write(`${text}\n`)
	process.exit(1)
}

main().catch(fail)

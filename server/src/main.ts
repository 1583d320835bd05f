import { readConfig } from './config/config.ts'
import { explainDataDirectory, explainForeignFile } from './platform/clickhouse/embedded/directory-lock.ts'
import { explainFullDisk } from './platform/disk-full.ts'
import { explainFewThreads, openFilesMax, raisesOpenFiles } from './platform/resources.ts'
import { type Running, run } from './program/run.ts'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Start and stop: the first SIGTERM, SIGINT or SIGHUP ends in order, a second SIGTERM or SIGINT at once. */
async function main(): Promise<void> {
	// Everything that is written belongs to this user alone.
	process.umask(0o077)
	// What reads standard error may be gone, as with `signalbox start 2>&1 | head`; the program does not end for that.
	process.stderr.on('error', () => undefined)
	let running: Running | null = null
	let stopping = false
	const onSignal = (signal: NodeJS.Signals, number: number) => {
		if (running === null) process.exit(128 + number)
		// A terminal that closes may send SIGHUP twice: from its system and from its shell.
		if (stopping && signal === 'SIGHUP') return
		if (stopping) process.exit(1)
		stopping = true
		running.stop().then(
			() => process.exit(0),
			(error: unknown) => fail(error),
		)
	}
	const listen = () => stopSignals.forEach((signal) => void process.on(signal, onSignal))
	// During the start a signal ends the program by itself, except the first process of a container: the kernel drops what it ignores.
	const isFirst = process.pid === 1
	if (isFirst) listen()
	const config = readConfig()
	running = await run(config).catch((error: unknown) => {
		const explained = explain(error, config.dataDir)
		throw explained === null ? error : new Error(explained, { cause: error })
	})
	if (!isFirst) listen()
}

/** Why the start failed and what mends it, if the machine is the reason. */
function explain(error: unknown, dataDir: string): string | null {
	const reason = error instanceof Error ? withCauses(error) : String(error)
	const fewThreads = explainFewThreads(reason)
	if (fewThreads !== null) return `${fewThreads}. Then start again.`
	if (/EMFILE|ENFILE|too many open files/i.test(reason))
		return `No more files can be opened (limit: ${openFilesMax()}): ${raisesOpenFiles}. Then start again.`
	return explainFullDisk(error, dataDir) ?? explainForeignFile(dataDir) ?? explainDataDirectory(dataDir)
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

/** Without the native stack that the engine adds to some messages. */
function withCauses({ message, cause }: Error): string {
	const [text] = message.split(', Stack trace (when copying') as [string]
	return cause instanceof Error ? `${text}\n  caused by: ${withCauses(cause)}` : text
}

main().catch(fail)

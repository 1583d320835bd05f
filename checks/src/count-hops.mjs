// Loaded into the program with `node --import`. The first SIGUSR2 starts V8's precise coverage, which counts the calls of each function of
// the server; the next one writes the counts to the file named by HOPS_FILE, and so on in turn.
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const file = process.env.HOPS_FILE
const session = new Session()
session.connect()
await session.post('Profiler.enable')
let counting = false

process.on('SIGUSR2', async () => {
	counting = !counting
	if (counting) await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
	else write((await session.post('Profiler.takePreciseCoverage')).result)
	if (!counting) await session.post('Profiler.stopPreciseCoverage')
	process.stderr.write(counting ? 'counting hops\n' : 'counted hops\n')
})

/** Calls of each function that ran, by its file, place and name. */
function write(scripts) {
	const calls = {}
	for (const { url, functions } of scripts) {
		const path = url.split('/server/src/')[1]
		if (path === undefined) continue
		// The module's own body begins where its file does. Once it has run, the engine may have forgotten it.
		for (const { functionName, ranges } of functions)
			if (ranges[0].startOffset > 0 && ranges[0].count > 0)
				calls[`${path}#${ranges[0].startOffset}#${functionName}`] = ranges[0].count
	}
	writeFileSync(`${file}.new`, JSON.stringify(calls))
	renameSync(`${file}.new`, file)
}

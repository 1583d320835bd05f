// Loaded into the program before it starts (`node --import`). SIGUSR2 begins to count which functions of the server run,
// by V8's precise coverage; the next SIGUSR2 writes the counts to the file that HOPS_FILE names, and so on in turn.
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

function write(scripts) {
	const hops = { files: 0, functions: 0, calls: 0 }
	for (const { url, functions } of scripts) {
		if (!url.includes('/server/src/')) continue
		// The first entry is the module's own body.
		const ran = functions.slice(1).filter(({ ranges }) => ranges[0].count > 0)
		if (ran.length === 0) continue
		hops.files += 1
		hops.functions += ran.length
		hops.calls += ran.reduce((sum, { ranges }) => sum + ranges[0].count, 0)
	}
	writeFileSync(`${file}.new`, JSON.stringify(hops))
	renameSync(`${file}.new`, file)
}

// The process of the shared instance. shared-stage.ts starts it, and ends it by disconnecting its IPC channel.
import { startReferenceServer } from '../../examples/first-call/reference-server.ts'
import { newDataDir, removeDataDir, startProgram } from '../../server/src/program/program.testing.ts'
import { buildDashboard } from './fresh-program.ts'
import type { SharedStage } from './shared-stage.ts'

await buildDashboard()
// Many test files use the instance at once, so overload protection is off.
const settings = { SIGNALBOX_OVERLOAD_LAG_MS: '0' }
const [program, reference] = await Promise.all([startProgram(newDataDir(), settings), startReferenceServer()])
const stage: SharedStage = {
	program: { url: program.url, dataDir: program.dataDir },
	referenceUrl: reference.url,
}
process.once('disconnect', async () => {
	await Promise.all([program.kill('SIGTERM'), reference.stop()])
	removeDataDir(program.dataDir)
	process.exit(0)
})
process.send?.(stage)

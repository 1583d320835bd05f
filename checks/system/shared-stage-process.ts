// The process of the shared stage: started by shared-stage.ts, and ended by letting go of it.
import { chromium } from 'playwright-core'
import { startReferenceServer } from '../../examples/first-call/reference-server.ts'
import { newDataDir, removeDataDir, startProgram } from '../../server/src/program/program.testing.ts'
import { chromiumFlags, findChromium } from '../src/chromium.ts'
import { buildDashboard } from './fresh-program.ts'
import type { SharedStage } from './shared-stage.ts'

await buildDashboard()
const { executablePath, from } = await findChromium()
console.log(`Chromium of ${from}: ${executablePath}`)
// Many files at once are more than one person's work: none may be refused for what others do.
const settings = { SIGNALBOX_OVERLOAD_LAG_MS: '0' }
const [program, browser, reference] = await Promise.all([
	startProgram(newDataDir(), settings),
	chromium.launchServer({ executablePath, args: chromiumFlags }),
	startReferenceServer(),
])
const stage: SharedStage = {
	browser: browser.wsEndpoint(),
	program: { url: program.url, dataDir: program.dataDir },
	referenceUrl: reference.url,
}
process.once('disconnect', async () => {
	await Promise.all([browser.close(), program.kill('SIGTERM'), reference.stop()])
	removeDataDir(program.dataDir)
	process.exit(0)
})
process.send?.(stage)

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../server/src/platform/database/testing.ts'
import { findChromium } from './chromium.ts'
import { runTestProjects } from './run-project.ts'
import { openScratch } from './scratch.ts'
import { checkTypes, runStep, type Step, tool } from './steps.ts'

/** `npm test`: everything in its short form. `--long` runs the long forms, whose figures go to docs/. */
const long = process.argv.includes('--long')
const checks: Step[] = [
	tool('format and lint', 'biome', 'ci', '.'),
	checkTypes('server', 'tsconfig.json'),
	checkTypes('dashboard', 'dashboard/tsconfig.json'),
	tool('dead code', 'knip', '--cache'),
	{ name: 'lock file', command: 'npm', args: ['ci', '--dry-run', '--no-audit', '--no-fund'] },
]
const build: Step = { name: 'dashboard build', command: 'npm', args: ['run', '--silent', 'build'] }

let passed = 0
let failed = 0
const chromium = await named('Chromium', async () => {
	const found = await findChromium()
	return { shown: `${found.executablePath} (${found.from})`, value: found.executablePath }
})
const scratch = openScratch()
const postgres = await named('PostgreSQL', async () => {
	const server = await startPostgres(scratch.path)
	return { shown: server.source, value: server }
})
const reports = mkdtempSync(join(tmpdir(), 'signalbox-tests-'))
// The tests of screens need a current build of the dashboard; the other checks run in parallel with the tests.
await runChecks([build])
const [tests] = await Promise.all([
	runTestProjects(reports, {
		TMPDIR: scratch.path,
		DASHBOARD_BUILT: '1',
		...(chromium && { CHROMIUM_PATH: chromium }),
		...(postgres && { DATABASE_URL: postgres.url }),
		...(long && { LONG_TESTS: '1' }),
	}),
	runChecks(checks),
])
passed += tests.passed
failed += tests.failed
await postgres?.stop()
scratch.end()
rmSync(reports, { recursive: true, force: true })
// Printed last, so that nobody overlooks it: such a test has a race or a timeout that is too short, and must be fixed.
for (const name of tests.onlyAlone) console.log(`UNSTEADY ${name}: failed beside others, passed alone`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Finds a program that the tests need and prints its source; a missing one is a failure that names the fix. */
async function named<T>(name: string, find: () => Promise<{ shown: string; value: T }>): Promise<T | null> {
	try {
		const { shown, value } = await find()
		console.log(`${name}: ${shown}`)
		return value
	} catch (error) {
		console.log(`FAILED ${name}: ${(error as Error).message}`)
		failed += 1
		return null
	}
}

async function runChecks(steps: readonly Step[]): Promise<void> {
	for (const step of steps) {
		if ((await runStep(step)).passed) passed += 1
		else failed += 1
	}
}

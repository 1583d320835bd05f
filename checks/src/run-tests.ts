import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../server/src/platform/database/testing.ts'
import { findChromium } from './chromium.ts'
import { runStep, type Step, tool } from './steps.ts'

/** `npm test`: everything in its short form. `--long` runs the long forms, whose figures go to docs/. */
const long = process.argv.includes('--long')
const checks: Step[] = [
	tool('format and lint', 'biome', 'ci', '.'),
	tool('types: server', 'tsc', '-p', 'tsconfig.json'),
	tool('types: dashboard', 'tsc', '-p', 'dashboard/tsconfig.json'),
	tool('dead code', 'knip'),
	{ name: 'lock file', command: 'npm', args: ['ci', '--dry-run', '--no-audit', '--no-fund'] },
	{ name: 'dashboard build', command: 'npm', args: ['run', '--silent', 'build'] },
]

interface Report {
	numPassedTests: number
	numFailedTests: number
	numFailedTestSuites: number
	success: boolean
}

const reports = mkdtempSync(join(tmpdir(), 'signalbox-tests-'))
let passed = 0
let failed = 0
const count = (ok: boolean) => {
	if (ok) passed += 1
	else failed += 1
}

const chromium = await named('Chromium', async () => {
	const found = await findChromium()
	return { shown: `${found.executablePath} (${found.from})`, value: found.executablePath }
})
const postgres = await named('PostgreSQL', async () => {
	const server = await startPostgres()
	return { shown: server.source, value: server }
})
for (const check of checks) count((await runStep(check)).passed)
for (const project of ['unit', 'slow', 'dashboard', 'security', 'system']) await runProject(project)
await postgres?.stop()
rmSync(reports, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Finds a program that the tests need and says where it came from; a missing one is a failure that names the fix. */
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

async function runProject(project: string): Promise<void> {
	const file = join(reports, `${project}.json`)
	const step = tool(
		`tests: ${project}`,
		'vitest',
		'run',
		'--project',
		project,
		'--reporter',
		'default',
		'--reporter',
		'json',
		'--outputFile.json',
		file,
	)
	const environment = {
		...(chromium && { CHROMIUM_PATH: chromium }),
		...(postgres && { DATABASE_URL: postgres.url }),
		...(long && { LONG_TESTS: '1' }),
	}
	const { passed: ok } = await runStep(step, environment)
	const report = readReport(file)
	passed += report.numPassedTests
	failed += report.numFailedTests
	// A file that did not even load has no failed test of its own.
	if (!ok && report.numFailedTests === 0) failed += 1
}

function readReport(file: string): Report {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Report
	} catch {
		return { numPassedTests: 0, numFailedTests: 1, numFailedTestSuites: 1, success: false }
	}
}

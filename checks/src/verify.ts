import { startPostgres } from '../../server/src/platform/database/testing.ts'
import { openScratch } from './scratch.ts'
import { runStep, type Step, tool } from './steps.ts'

/** The quick check before every commit: SQLite only, no kills, no browser, no long fuzz; under 90 s. */
const quick = ['--project', 'unit', '--project', 'dashboard', '--reporter', 'default']
const groups: Step[][] = [
	[
		tool('format and lint', 'biome', 'ci', '.'),
		tool('types: server', 'tsc', '-p', 'tsconfig.json'),
		tool('types: dashboard', 'tsc', '-p', 'dashboard/tsconfig.json'),
		tool('dead code', 'knip'),
	],
	[tool('unit and route tests', 'vitest', 'run', ...quick)],
]

const postgres = await startPostgres()
const scratch = openScratch()
const environment = { DATABASE_URL: postgres.url, TMPDIR: scratch.path, QUICK_TESTS: '1' }
let failed = 0
for (const steps of groups) {
	const results = await Promise.all(steps.map((step) => runStep(step, environment)))
	failed += results.filter((result) => !result.passed).length
}
await postgres.stop()
scratch.end()
console.log(failed === 0 ? 'verify: everything passed' : `verify: ${failed} step(s) failed`)
process.exitCode = failed === 0 ? 0 : 1

import { startPostgres } from '../../server/src/platform/database/testing.ts'
import { openScratch } from './scratch.ts'
import { checkTypes, runStep, type Step, tool } from './steps.ts'

/** The quick check before every commit: SQLite only, no browser, and none of the long files. Goal: 90 s on two cores. */
const quick = ['--project', 'unit', '--project', 'dashboard', '--reporter', 'default']
const steps: Step[] = [
	tool('format and lint', 'biome', 'ci', '.'),
	checkTypes('server', 'tsconfig.json'),
	checkTypes('dashboard', 'dashboard/tsconfig.json'),
	tool('dead code', 'knip', '--cache'),
	tool('unit and route tests', 'vitest', 'run', ...quick),
]

const scratch = openScratch()
const postgres = await startPostgres(scratch.path)
const environment = { DATABASE_URL: postgres.url, TMPDIR: scratch.path, QUICK_TESTS: '1', VERIFY: '1' }
// In parallel, because tests wait now and then, and leave enough of two cores for the other steps.
const results = await Promise.all(steps.map((step) => runStep(step, environment)))
const failed = results.filter((result) => !result.passed).length
await postgres.stop()
scratch.end()
console.log(failed === 0 ? 'verify: everything passed' : `verify: ${failed} step(s) failed`)
process.exitCode = failed === 0 ? 0 : 1

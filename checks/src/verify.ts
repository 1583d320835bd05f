import { runStep, tool } from './steps.ts'

/** The quick check before every commit: no kills, no browser, no long fuzz; under 90 s. */
const together = [
	[
		tool('format and lint', 'biome', 'ci', '.'),
		tool('types: server', 'tsc', '-p', 'tsconfig.json'),
		tool('types: dashboard', 'tsc', '-p', 'dashboard/tsconfig.json'),
	],
	[tool('dead code', 'knip')],
	[
		tool(
			'unit and route tests',
			'vitest',
			'run',
			'--project',
			'unit',
			'--project',
			'dashboard',
			'--reporter',
			'dot',
		),
	],
]

let failed = 0
for (const steps of together) {
	const results = await Promise.all(steps.map((step) => runStep(step)))
	failed += results.filter((result) => !result.passed).length
}
console.log(failed === 0 ? 'verify: everything passed' : `verify: ${failed} step(s) failed`)
process.exitCode = failed === 0 ? 0 : 1

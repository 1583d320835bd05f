import { parseArgs } from 'node:util'
import type { FixtureEras } from '../fixtures/start-fixture.ts'
import { type RequirementSet, requirementSets, runSuite, type ScenarioResult } from './run-suite.ts'
import { startBehindGateway, startDirect } from './targets.ts'

/**
 * `npm run conformance -- direct|gateway [--server modern|legacy|both] [--requirements 2025-11-25|2026-07-28]`: the official
 * suite against a fixture, by itself or behind the gateway. Ends with 1 when something required fails.
 */
const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: {
		server: { type: 'string', default: 'both' },
		requirements: { type: 'string' },
	},
})
const start = positionals[0] === 'direct' ? startDirect : startBehindGateway
const sets = values.requirements ? [values.requirements as RequirementSet] : requirementSets
const target = await start(values.server as FixtureEras)
try {
	for (const set of sets) show(set, await runSuite(target.url, set))
} finally {
	await target.close()
}

function show(set: RequirementSet, results: readonly ScenarioResult[]): void {
	const required = results.filter((result) => result.required)
	const failing = required.filter(({ failed }) => failed > 0)
	console.log(`${set}: ${required.length - failing.length} of ${required.length} required scenarios pass`)
	for (const { scenario, required, failed, failures } of results) {
		if (failed === 0) continue
		console.log(`  ${scenario}${required ? '' : ' (not required)'}`)
		for (const failure of failures) console.log(`    ${failure.slice(0, 400)}`)
	}
	if (failing.length > 0) process.exitCode = 1
}

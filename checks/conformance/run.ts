import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Program } from '../../server/src/program/program.testing.ts'
import type { FixtureEras } from '../fixtures/start-fixture.ts'
import { root } from '../src/source-files.ts'
import { impossible } from './impossible.ts'
import { runConnector, runQuadrants, withProgram } from './quadrants.ts'
import { type RequirementSet, requirementSets, runSuite, type ScenarioResult } from './run-suite.ts'
import { writePage } from './table.ts'
import { startBehindGateway, startDirect } from './targets.ts'

/**
 * The official suite against a fixture.
 *   npm run conformance                          everything, written to docs/conformance.md; exits with 1 if a scenario failed that
 *                                                could pass
 *   npm run conformance -- direct|gateway [--server modern|legacy|both] [--requirements 2025-11-25|2026-07-28]
 *                                                one run and its failures; exits with 1 if a required scenario failed
 */
const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: {
		server: { type: 'string', default: 'both' },
		requirements: { type: 'string' },
	},
})

if (positionals.length === 0) {
	const quadrants = await withProgram(async (program) => [
		...(await runQuadrants(program)),
		...(await runConnector(program)),
	])
	for (const { title, requirements, results } of quadrants)
		show(`${title}, ${requirements}`, results, knownOf(title, requirements))
	writeFileSync(join(root, 'docs/conformance.md'), `${writePage(quadrants)}\n`)
} else await withProgram((program) => runOnce(program, values.server as FixtureEras))

async function runOnce(program: Program, fixture: FixtureEras): Promise<void> {
	const sets = values.requirements ? [values.requirements as RequirementSet] : requirementSets
	const targets = await (positionals[0] === 'direct'
		? startDirect([fixture])
		: startBehindGateway(program, [fixture]))
	try {
		for (const set of sets) show(set, await runSuite(targets.urls[fixture] ?? '', set))
	} finally {
		await targets.close()
	}
}

/** Scenarios that no translation can make pass. They do not count as failures. */
function knownOf(title: string, requirements: RequirementSet): ReadonlyMap<string, string> {
	const ofTitle = impossible.filter(
		(each) => each.requirements === requirements && title.endsWith(`gateway, ${each.fixture} server`),
	)
	return new Map(ofTitle.map(({ scenario, reason }) => [scenario, reason]))
}

function show(
	title: string,
	results: readonly ScenarioResult[],
	known: ReadonlyMap<string, string> = new Map(),
): void {
	const required = results.filter((result) => result.required)
	const failing = required.filter(({ failed }) => failed > 0)
	console.log(`${title}: ${required.length - failing.length} of ${required.length} required scenarios pass`)
	for (const { scenario, failures } of failing) {
		const reason = known.get(scenario)
		console.log(`  ${scenario}${reason ? ` cannot pass: ${reason}` : ''}`)
		if (reason) continue
		for (const failure of failures) console.log(`    ${failure.slice(0, 400)}`)
	}
	for (const warning of required.flatMap(({ warnings }) => warnings)) console.log(`  warning: ${warning}`)
	if (failing.some(({ scenario }) => !known.has(scenario))) process.exitCode = 1
}

import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import type { FixtureEras } from '../fixtures/start-fixture.ts'
import { startClientDriver } from './client/driver.ts'
import { impossible } from './impossible.ts'
import {
	type RequirementSet,
	requirementSets,
	runClientSuite,
	runSuite,
	type ScenarioResult,
} from './run-suite.ts'
import { startBehindGateway, startDirect } from './targets.ts'

/** One run of the suite: its target and its results. */
export interface Quadrant {
	title: string
	requirements: RequirementSet
	fixture: FixtureEras
	through: 'direct' | 'gateway' | 'connector'
	results: readonly ScenarioResult[]
}

const eraOfSet: Readonly<Record<RequirementSet, string>> = {
	'2025-11-25': 'legacy client',
	'2026-07-28': 'modern client',
}

export const serverName: Readonly<Record<FixtureEras, string>> = {
	legacy: 'legacy server',
	modern: 'modern server',
	both: 'server of both eras',
}

/** Starts the program that all runs of the suite share, and stops it after the work. */
export async function withProgram<T>(work: (program: Program) => Promise<T>): Promise<T> {
	const dataDir = newDataDir()
	// Refusals because of load are not results about the protocol, so overload protection is off.
	const program = await startProgram(dataDir, { SIGNALBOX_OVERLOAD_LAG_MS: '0' })
	try {
		return await work(program)
	} finally {
		await program.kill('SIGTERM')
		removeDataDir(dataDir)
	}
}

/** Runs the suite directly against the fixture, and through the gateway for each combination of eras. */
export async function runQuadrants(program: Program): Promise<Quadrant[]> {
	return [
		...(await runAll('direct', await startDirect(['both']), ['both'])),
		...(await runGateway(program, ['legacy', 'modern', 'both'])),
	]
}

/** Runs the suite through the gateway to servers of these eras, each with a legacy and a modern client. */
export async function runGateway(program: Program, fixtures: readonly FixtureEras[]): Promise<Quadrant[]> {
	return runAll('gateway', await startBehindGateway(program, fixtures), fixtures)
}

/** Runs the suite's servers behind the gateway, so that the suite tests our connector. */
export async function runConnector(program: Program): Promise<Quadrant[]> {
	const quadrants: Quadrant[] = []
	for (const requirements of requirementSets) {
		const driver = await startClientDriver(program)
		try {
			const results = await runClientSuite(driver.url, requirements)
			const title = `${eraOfSet[requirements]}, gateway, the suite's server`
			quadrants.push({ title, requirements, fixture: 'both', through: 'connector', results })
		} finally {
			await driver.close()
		}
	}
	return quadrants
}

/** Runs the suite, and a second time after an unexpected failure, because its timeouts of seconds are too short for a busy machine. */
async function runSteadily(
	url: string,
	fixture: FixtureEras,
	requirements: RequirementSet,
): Promise<ScenarioResult[]> {
	const results = await runSuite(url, requirements)
	const known = impossible.filter((each) => each.fixture === fixture && each.requirements === requirements)
	const isUnexpected = ({ scenario, required, failed }: ScenarioResult) =>
		required && failed > 0 && !known.some((each) => each.scenario === scenario)
	return results.some(isUnexpected) ? runSuite(url, requirements) : results
}

async function runAll(
	through: 'direct' | 'gateway',
	targets: Awaited<ReturnType<typeof startDirect>>,
	fixtures: readonly FixtureEras[],
): Promise<Quadrant[]> {
	const quadrants: Quadrant[] = []
	try {
		for (const requirements of requirementSets)
			for (const fixture of fixtures) {
				const results = await runSteadily(targets.urls[fixture] ?? '', fixture, requirements)
				const title =
					through === 'direct'
						? `${eraOfSet[requirements]}, fixture by itself`
						: `${eraOfSet[requirements]}, gateway, ${serverName[fixture]}`
				quadrants.push({ title, requirements, fixture, through, results })
			}
	} finally {
		await targets.close()
	}
	return quadrants
}

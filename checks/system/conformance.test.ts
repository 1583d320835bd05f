import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Program } from '../../server/src/program/program.testing.ts'
import { impossible } from '../conformance/impossible.ts'
import {
	type Quadrant,
	runConnector,
	runGateway,
	runQuadrants,
	withProgram,
} from '../conformance/quadrants.ts'
import { runAuthorizationSuite } from '../conformance/run-authorization-suite.ts'
import { summaryRow, writePage } from '../conformance/table.ts'
import { root } from '../src/source-files.ts'

const isLong = process.env.LONG_TESTS !== undefined

/**
 * Runs the official suite through the program, with grants enforced, for each combination of eras. The long form also runs it directly
 * against the fixture server, and through the gateway to a server that supports both eras.
 */
describe('the official conformance suite', () => {
	let quadrants: Quadrant[] = []
	let authorization: Record<string, string>
	const runAll = async (program: Program) => {
		const served = isLong ? await runQuadrants(program) : await runGateway(program, ['legacy', 'modern'])
		quadrants = [...served, ...(await runConnector(program))]
		authorization = await runAuthorizationSuite(program)
	}
	beforeAll(() => withProgram(runAll), 500_000)

	const failing = ({ results }: Quadrant) =>
		results
			.filter(({ required, failed }) => required && failed > 0)
			.map(({ scenario, failures }) => ({ scenario, failures }))
	const find = (through: string, fixture: string, requirements: string) => {
		const found = quadrants.find(
			(each) => each.through === through && each.fixture === fixture && each.requirements === requirements,
		)
		if (!found) throw new Error(`No run: ${through}, ${fixture}, ${requirements}`)
		return found
	}

	const inLongForm = [
		['direct', 'both', '2025-11-25', 30],
		['direct', 'both', '2026-07-28', 37],
		['gateway', 'both', '2025-11-25', 30],
		['gateway', 'both', '2026-07-28', 37],
	] as const
	it.each([
		['gateway', 'legacy', '2025-11-25', 30],
		['gateway', 'modern', '2026-07-28', 37],
		['connector', 'both', '2025-11-25', 18],
		['connector', 'both', '2026-07-28', 32],
		...(isLong ? inLongForm : []),
	] as const)(
		'passes every required scenario: %s, %s server, %s',
		(through, fixture, requirements, count) => {
			const quadrant = find(through, fixture, requirements)
			expect(failing(quadrant)).toEqual([])
			expect(quadrant.results.filter(({ required }) => required)).toHaveLength(count)
		},
	)

	it.each([
		['legacy', '2026-07-28'],
		['modern', '2025-11-25'],
	])('passes across eras except for known limits: %s server, %s', (fixture, requirements) => {
		const known = impossible.filter((each) => each.fixture === fixture && each.requirements === requirements)
		const failed = failing(find('gateway', fixture, requirements)).map(({ scenario }) => scenario)
		expect(failed).toEqual(known.map(({ scenario }) => scenario))
	})

	it('passes the scenarios for the authorization server', () => {
		expect(authorization).toEqual({
			'authorization-server-metadata': 'SUCCESS',
			'authorization-server-metadata-cimd': 'SUCCESS',
			'authorization-code-grant': 'SUCCESS',
		})
	})

	it('matches the results in docs/conformance.md', () => {
		const page = readFileSync(join(root, 'docs/conformance.md'), 'utf8')
		if (isLong) expect(`${writePage(quadrants)}\n`, 'run `npm run conformance`').toBe(page)
		else
			expect(page.split('\n'), 'run `npm run conformance`').toEqual(
				expect.arrayContaining(quadrants.map(summaryRow)),
			)
	})
})

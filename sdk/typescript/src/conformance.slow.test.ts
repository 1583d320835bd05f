import { afterAll, beforeAll, expect, it } from 'vitest'
import { requirementSets, runSuite } from '../../../checks/conformance/run-suite.ts'
import { type Fixture, startFixture } from '../../../checks/fixtures/start-fixture.ts'
import { instrument } from './instrument.ts'
import { type Collector, startCollector } from './testing/collector.ts'

/** One era in the short form: `npm test` already runs the suite on the server without observation in both eras. */
const sets = process.env.LONG_TESTS ? requirementSets : requirementSets.slice(-1)
let collector: Collector
let bare: Fixture
let observed: Fixture

beforeAll(async () => {
	collector = await startCollector()
	bare = await startFixture('both')
	observed = await startFixture('both', 0, (server) =>
		instrument(server, { endpoint: collector.url, capture: true }),
	)
})
afterAll(() => Promise.all([collector, bare, observed].map((part) => part?.close())))

it.each(sets)(
	'the official conformance suite has the same result for a server, observed or not: %s',
	async (requirements) => {
		const without = await runSuite(bare.url, requirements)
		const along = await runSuite(observed.url, requirements)
		expect(along).toEqual(without)
		expect(along.filter(({ required }) => required).length).toBeGreaterThanOrEqual(30)
		await expect.poll(() => collector.spans.length, { timeout: 10_000 }).toBeGreaterThan(30)
	},
	300_000,
)

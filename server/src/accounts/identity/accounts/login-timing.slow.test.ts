import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manualClock, systemClock } from '../../../platform/clock.ts'
import { recommendedMemoryKib as passwordMemoryKib } from '../../../platform/crypto/password-phc.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../testing.ts'

const samples = 200
/** Two-sided, p = 0.01, for the some 300 degrees of freedom of the comparison. */
const criticalT = 2.592

/** Drops the slowest quarter: those were delayed by other load on the machine, which would hide a difference in our code. */
function undisturbed(times: readonly number[]): number[] {
	return [...times].sort((a, b) => a - b).slice(0, Math.ceil(times.length * 0.75))
}

/** Welch's t: the distance of two means in units of their standard error. */
function welchT(a: readonly number[], b: readonly number[]): number {
	const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
	const squaredError = (values: readonly number[]) => {
		const middle = mean(values)
		const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
		return variance / values.length
	}
	return (mean(a) - mean(b)) / Math.sqrt(squaredError(a) + squaredError(b))
}

// The short form, without measurements, is in accounts.test.ts.
describe.runIf(process.env.LONG_TESTS)('the time of a refused sign-in', () => {
	const clock = manualClock(systemClock.nowMs())
	let database: Awaited<ReturnType<typeof openTestSqlite>>
	let app: TestApp
	beforeAll(async () => {
		database = await openTestSqlite()
		app = await startTestApp(database.store, { clock, passwordMemoryKib })
	})
	afterAll(async () => {
		await app.close()
		await database.end()
	})

	const timeOf = async (email: string) => {
		// Far enough that earlier failures cause no delay.
		clock.advance(16 * 60 * 1000)
		const startedAt = performance.now()
		const { status } = await app.request('POST', '/auth/login', { body: { email, password: 'not it' } })
		expect(status).toBe(401)
		return performance.now() - startedAt
	}
	/** Pairs in alternating order, so that temporary load on the machine slows both down. */
	const measure = async () => {
		const known: number[] = []
		const unknown: number[] = []
		for (let pair = 0; pair < samples; pair += 1) {
			const first = async () => known.push(await timeOf(app.owner.email))
			const second = async () => unknown.push(await timeOf('nobody@example.org'))
			for (const run of pair % 2 ? [first, second] : [second, first]) await run()
		}
		return welchT(undisturbed(known), undisturbed(unknown))
	}

	it('does not reveal whether an address exists', { timeout: 600_000 }, async () => {
		await timeOf('warming-up@example.org')
		const seen: number[] = []
		while (seen.length < 3 && !seen.some((t) => Math.abs(t) < criticalT)) seen.push(await measure())
		const figures = `Welch's t of ${samples} + ${samples}: ${seen.map((t) => t.toFixed(2)).join(', ')}`
		expect(Math.min(...seen.map(Math.abs)), figures).toBeLessThan(criticalT)
	})
})

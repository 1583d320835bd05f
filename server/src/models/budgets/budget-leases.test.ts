import { expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import type { Account } from './account.ts'
import { leaseMs } from './budget-leases.ts'
import { Hold } from './hold.ts'
import { type Process, stageBudget } from './testing.ts'

/** A seeded random generator, so that a failure can be reproduced. */
function random(seed: number) {
	let state = seed
	return (below: number) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
		return state % below
	}
}

describeOnBothDatabases('what processes may spend of a budget', (store) => {
	it('many calls need few reads of the store, and the store knows their sum', async () => {
		const { budget, process, sums } = await stageBudget(store(), { limit_amount: 1_000_000 })
		const { leases, reserve } = process()
		let looks = 0
		for (let call = 0; call < 500; call += 1) {
			const held = leases.reserve(leases.accountOf(budget, ''), 10)
			if (held !== true) looks += 1
			expect(await held).toBe(true)
			leases.accountOf(budget, '').settle(10, 7)
		}
		expect(looks).toBeLessThan(50)
		expect(await reserve(budget, 10)).not.toBeNull()
		await leases.close()
		expect(await sums()).toMatchObject({ spent: 3500, uncertain: 0 })
	})

	it('amounts beyond 2^53 are counted, and refuse no call under a soft budget', async () => {
		const { budget, process, sums } = await stageBudget(store(), { mode: 'soft' })
		const { leases, reserve } = process()
		for (let call = 0; call < 2; call += 1) {
			leases.accountOf(budget, '').settle(0, 2 ** 53 - 1)
			await leases.heartbeat()
		}
		expect(await reserve(budget, 10)).not.toBeNull()
		expect((await sums()).spent).toBe(2 ** 54 - 2)
	})

	it('concurrent long answers rarely read the store', async () => {
		const { budget, process } = await stageBudget(store(), { limit_amount: 1_000_000_000 })
		const { leases } = process()
		const account = leases.accountOf(budget, '')
		const part = () => ({ account, reserved: 0, reservedForOutput: 0, perThousand: 10_000 })
		const holds = Array.from({ length: 20 }, () => new Hold(leases, [part()], () => {}))
		let looks = 0
		for (let bytes = 300; bytes <= 60_000; bytes += 300)
			for (const decision of holds.map((hold) => hold.progress(bytes))) {
				if (decision !== null) looks += 1
				expect(await decision).toBeNull()
			}
		expect(looks).toBeLessThan(400)
	})

	it('no more than the remaining amount is lent, over all processes', async () => {
		const { budget, process, sums, clock } = await stageBudget(store())
		const [one, two] = [process(), process()]
		expect(await one.reserve(budget, 600)).not.toBeNull()
		expect(await two.reserve(budget, 600)).toBeNull()
		// The first process held more than it needed.
		await one.leases.heartbeat()
		clock.advance(200)
		const rest = await two.reserve(budget, 350)
		expect(rest).not.toBeNull()
		expect((await sums()).leased).toBeLessThanOrEqual(1000)
		rest?.settle(350, 0)
		await two.leases.close()
		expect((await sums()).leased).toBeLessThan(1000)
	})

	it('an idle process returns unneeded amounts with its heartbeat', async () => {
		const { budget, process, sums } = await stageBudget(store(), { limit_amount: 100_000 })
		const { reserve, leases } = process()
		const account = (await reserve(budget, 10)) as Account
		expect((await sums()).leased).toBeGreaterThan(10)
		account.settle(10, 10)
		for (let heartbeat = 0; heartbeat < 6; heartbeat += 1) await leases.heartbeat()
		expect(await sums()).toMatchObject({ spent: 10, leased: 0 })
	})

	it('what a dead process held is lent to nobody else, and is recovered if it was alive after all', async () => {
		const { budget, process, sums, clock } = await stageBudget(store())
		const dead = process()
		const account = (await dead.reserve(budget, 400)) as Account
		const held = (await sums()).leased
		clock.advance(leaseMs + 1)
		const other = process()
		expect(await other.reserve(budget, 1000)).toBeNull()
		expect(await sums()).toMatchObject({ uncertain: held, leased: 0 })
		account.settle(400, 300)
		await dead.leases.heartbeat()
		expect(await sums()).toMatchObject({ uncertain: 0, spent: 300 })
		clock.advance(200)
		expect(await other.reserve(budget, 700)).not.toBeNull()
	})

	it('a budget that is switched off and on again during a call counts the call', async () => {
		const { budget, process, sums, enable } = await stageBudget(store())
		const { leases, reserve } = process()
		const account = (await reserve(budget, 400)) as Account
		await enable(false)
		await leases.heartbeat()
		await enable(true)
		const later = (await reserve({ ...budget }, 400)) as Account
		account.settle(400, 300)
		later.settle(400, 200)
		await leases.close()
		expect(await sums()).toMatchObject({ spent: 500, leased: 0 })
	})

	it('what the store has counted is not reported again when something fails afterwards', async () => {
		const { budget, process, sums } = await stageBudget(store())
		let fails = false
		const { leases, reserve } = process(() => {
			if (fails) throw new Error('The store is gone.')
		})
		const account = (await reserve(budget, 400)) as Account
		account.settle(400, 300)
		fails = true
		await leases.heartbeat()
		fails = false
		await leases.close()
		expect(await sums()).toMatchObject({ spent: 300, leased: 0 })
	})

	it('what a commit without an answer has lent and counted is neither lost nor counted twice', async () => {
		const { budget, process, sums } = await stageBudget(store())
		let isCut = true
		const { leases, reserve } = process(undefined, () => isCut)
		await expect(reserve(budget, 400)).rejects.toThrow('cut')
		isCut = false
		const account = (await reserve(budget, 400)) as Account
		expect((await sums()).leased).toBe(account.lease.granted)
		account.settle(400, 300)
		isCut = true
		await leases.heartbeat()
		expect((await sums()).spent).toBe(300)
		isCut = false
		// The process returns nothing of what it does not know to be its own.
		expect(await process().reserve(budget, 700)).toBeNull()
		await leases.close()
		expect(await sums()).toMatchObject({ spent: 300, leased: 0, uncertain: 0 })
	})

	it.each([false, true])(
		'the same after its lease has expired meanwhile (committed: %s)',
		async (isCommitted) => {
			const { budget, process, sums, clock } = await stageBudget(store())
			let isCut = false
			const { leases, reserve } = process(undefined, () => isCut)
			const account = (await reserve(budget, 400)) as Account
			account.settle(400, 300)
			isCut = isCommitted
			if (isCommitted) await leases.heartbeat()
			clock.advance(leaseMs + 1)
			// Another process reads the budget, by which the lease ends.
			expect(await process().reserve(budget, 700)).toBeNull()
			expect((await sums()).uncertain).toBeGreaterThan(0)
			isCut = false
			await leases.heartbeat()
			await leases.close()
			expect(await sums()).toMatchObject({ spent: 300, leased: 0, uncertain: 0 })
		},
	)

	it('at the end, what was spent while another call read the store is reported too', async () => {
		const { budget, process, sums } = await stageBudget(store(), { limit_amount: 100_000 })
		let running: Account | null = null
		const { leases, reserve } = process(undefined, () => {
			running?.settle(10, 7)
			running = null
			return false
		})
		running = await reserve(budget, 10)
		const waiting = reserve(budget, 50_000)
		await leases.close()
		expect((await sums()).spent).toBe(7)
		expect(await waiting).not.toBeNull()
	})

	it('a clock that is set back leaves no call refused for as long', async () => {
		const { budget, process, clock } = await stageBudget(store())
		const { leases, reserve } = process()
		const account = (await reserve(budget, 1000)) as Account
		expect(await reserve(budget, 100)).toBeNull()
		account.settle(1000, 0)
		await leases.close()
		expect(await process().reserve(budget, 600)).not.toBeNull()
		expect(await reserve(budget, 600)).toBeNull()
		clock.advance(-3_600_000)
		expect(await reserve(budget, 200)).not.toBeNull()
	})

	it('a call is charged to the window in which it began, whatever is spent in the next one', async () => {
		const { budget, process, clock, sums } = await stageBudget(store())
		const { leases, reserve } = process()
		const old = (await reserve(budget, 100)) as Account
		clock.advance(16 * 3_600_000)
		expect(await reserve(budget, 900)).not.toBeNull()
		expect(await leases.reserve(old, 800, 100)).toBe(true)
		old.settle(900, 700)
		await leases.heartbeat()
		expect((await sums()).spent).toBe(0)
		clock.advance(-16 * 3_600_000)
		expect(await sums()).toMatchObject({ spent: 700, uncertain: 0 })
	})

	it('a new window begins with the whole amount; a rolling one frees amounts step by step', async () => {
		const day = await stageBudget(store())
		const one = day.process()
		expect(await one.reserve(day.budget, 1000)).not.toBeNull()
		day.clock.advance(16 * 3_600_000)
		expect(await one.reserve(day.budget, 1000)).not.toBeNull()
		const settings = { window_kind: 'rolling', rolling_s: 86_400 }
		const rolling = await stageBudget(store(), settings)
		const two = rolling.process()
		;((await two.reserve(rolling.budget, 1000)) as Account).settle(1000, 1000)
		await two.leases.heartbeat()
		rolling.clock.advance(23 * 3_600_000)
		expect(await two.reserve(rolling.budget, 1)).toBeNull()
		rolling.clock.advance(2 * 3_600_000)
		expect(await two.reserve(rolling.budget, 1000)).not.toBeNull()
	})

	it('notifies of each threshold once, and of exhaustion once', async () => {
		const { budget, process } = await stageBudget(store(), { thresholds: '[50,80,100]' })
		const { reserve, leases } = process()
		const spend = async (amount: number) => {
			const account = await reserve(budget, amount)
			account?.settle(amount, amount)
			await leases.heartbeat()
		}
		for (const amount of [400, 200, 100, 200, 200, 200]) await spend(amount)
		const rows = await store()
			.db.selectFrom('events')
			.select(['type', 'data'])
			.where('workspace_id', '=', budget.workspaceId)
			.orderBy('id')
			.execute()
		const notified = rows.map(({ type, data }) => [type, JSON.parse(data).percent])
		expect(notified.sort()).toEqual([
			['budget.exhausted', 100],
			['budget.threshold', 50],
			['budget.threshold', 80],
		])
	})

	it('a soft budget counts and never refuses', async () => {
		const { budget, process, sums } = await stageBudget(store(), { mode: 'soft' })
		const { reserve, leases } = process()
		for (let call = 0; call < 5; call += 1) (await reserve(budget, 900))?.settle(900, 900)
		await leases.close()
		expect(await sums()).toMatchObject({ spent: 4500, leased: 0 })
	})

	it('never exceeds the limit, whatever processes do, in any order, and whichever of them dies', async () => {
		const limit = 5000
		const { budget, process, sums, clock } = await stageBudget(store(), { limit_amount: limit })
		const pick = random(20_261_121)
		const cut = new Set<unknown>()
		const open = () => {
			const opened: Process = process(undefined, () => cut.has(opened))
			return opened
		}
		const processes = [open(), open(), open()]
		let running: { by: Process; account: Account; amount: number }[] = []
		let paid = 0
		for (let step = 0; step < 200; step += 1) {
			const at = pick(processes.length)
			const by = processes[at] as Process
			const what = pick(10)
			cut.clear()
			if (pick(5) === 0) cut.add(by)
			if (what < 4) {
				const amount = 1 + pick(300)
				const account = await by.reserve(budget, amount).catch(() => null)
				if (account) running.push({ by, account, amount })
			} else if (what < 7 && running.length > 0) {
				const [call] = running.splice(pick(running.length), 1)
				const cost = pick((call?.amount ?? 0) + 1)
				call?.account.settle(call.amount, cost)
				paid += cost
			} else if (what < 9) await by.leases.heartbeat()
			else if (pick(4) === 0) {
				// The process dies with its calls, which may have cost everything that was reserved.
				for (const { amount } of running.filter((call) => call.by === by)) paid += amount
				running = running.filter((call) => call.by !== by)
				processes[at] = open()
			} else clock.advance(leaseMs / 4)
			const promised = running.reduce((sum, { amount }) => sum + amount, 0)
			expect(paid + promised).toBeLessThanOrEqual(limit)
			const { spent, leased, uncertain } = await sums()
			expect(spent + leased + uncertain).toBeLessThanOrEqual(limit)
			expect(spent).toBeLessThanOrEqual(paid)
			for (const sum of [spent, leased, uncertain]) expect(sum).toBeGreaterThanOrEqual(0)
			expect([spent, leased, uncertain].every(Number.isSafeInteger)).toBe(true)
		}
	})
})

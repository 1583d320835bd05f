import { afterEach, expect, it } from 'vitest'
import { inChangeOf, lockWorkspace } from '../change-scope.ts'
import { isPostgres } from '../database/database.ts'
import { describeOnBothDatabases } from '../database/testing.ts'
import type { JobOptions, RunningJob } from './job.ts'
import { openTestRunner, until } from './testing.ts'

const newJobRow = {
	...{ workspace_id: null, payload: 'null', again_at: null, attempts: 0, lease_holder: null },
	...{ fence: 0, last_error: null, created_at: 0 },
}

describeOnBothDatabases('background jobs', (store) => {
	const ending: (() => Promise<void>)[] = []
	afterEach(async () => {
		for (const end of ending.splice(0)) await end()
		await store().db.deleteFrom('jobs').execute()
	})
	const open = () => {
		const runner = openTestRunner(store())
		ending.push(runner.jobs.close)
		return runner
	}
	const start = (handler: (job: RunningJob) => Promise<void>, options?: JobOptions) => {
		const runner = open()
		runner.jobs.handle('test', handler, options)
		runner.jobs.start()
		const enqueue = (key: string, more: { payload?: unknown; runAtMs?: number } = {}) =>
			runner.mutate((tx) => runner.jobs.enqueue(tx, { kind: 'test', key, workspaceId: null, ...more }))
		return { ...runner, enqueue }
	}
	const rows = () => store().db.selectFrom('jobs').selectAll().execute()
	const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

	it('run at once when this process enqueues them, with their payload, and are deleted afterwards', async () => {
		const seen: unknown[] = []
		const { enqueue } = start(async ({ key, payload, attempt }) => void seen.push([key, payload, attempt]))
		const tookMs: number[] = []
		for (const key of ['a', 'b', 'c']) {
			await pause(200)
			const begun = performance.now()
			await enqueue(key, { payload: { text: 'hello' } })
			await until(() => seen.length === tookMs.length + 1)
			tookMs.push(performance.now() - begun)
		}
		// Polling for work once a second would take 800 ms each time.
		expect(Math.min(...tookMs)).toBeLessThan(500)
		expect(seen).toEqual(['a', 'b', 'c'].map((key) => [key, { text: 'hello' }, 1]))
		await until(async () => (await rows()).length === 0)
	})

	it('are not enqueued if the transaction fails', async () => {
		const { jobs, mutate } = start(async () => {})
		const failing = mutate(async (tx) => {
			await jobs.enqueue(tx, { kind: 'test', key: 'undone', workspaceId: null })
			throw new Error('no')
		})
		await expect(failing).rejects.toThrow('no')
		expect(await rows()).toEqual([])
	})

	it('are unique by key, and move to the earlier time', async () => {
		const seen: unknown[] = []
		const { enqueue } = start(async ({ payload }) => void seen.push(payload))
		await enqueue('a', { payload: 1, runAtMs: Date.now() + 60_000 })
		await enqueue('a', { payload: 2, runAtMs: Date.now() + 300 })
		await enqueue('a', { payload: 3, runAtMs: Date.now() + 90_000 })
		expect(await rows()).toHaveLength(1)
		expect(seen).toEqual([])
		await until(() => seen.length === 1)
		expect(seen).toEqual([3])
	})

	it('run once more when they are enqueued again while they run', async () => {
		let runs = 0
		let go = () => {}
		const { enqueue } = start(async () => {
			runs += 1
			if (runs === 1)
				await new Promise<void>((done) => {
					go = done
				})
		})
		await enqueue('a')
		await until(() => runs === 1)
		await enqueue('a')
		await enqueue('a')
		go()
		await until(async () => runs === 2 && (await rows()).length === 0)
	})

	it('are retried after a failure, with attempts counted, until they give up', async () => {
		const attempts: number[] = []
		const handler = async ({ attempt }: RunningJob) => {
			attempts.push(attempt)
			throw new Error('it broke')
		}
		const { enqueue, jobs } = start(handler, { retry: (attempt) => (attempt < 3 ? 30 : null) })
		await enqueue('a')
		await until(async () => attempts.length === 3 && (await rows()).length === 0)
		expect(attempts).toEqual([1, 2, 3])
		expect(jobs.figures.find(({ name }) => name.endsWith('failed'))?.read()).toBe(3)
	})

	it('repeat when they schedule their next run in their own transaction', async () => {
		const fences: number[] = []
		const { enqueue } = start(async (job) => {
			fences.push(job.fence)
			await job.commit((tx) => job.again(tx, Date.now() + 20))
		})
		await enqueue('a')
		await until(() => fences.length >= 3)
		expect(fences.slice(0, 3)).toEqual([1, 2, 3])
	})

	it('that are cancelled while they run commit nothing, and their signal is aborted', async () => {
		let outcome: Promise<unknown> | undefined
		let go = () => {}
		let signal: AbortSignal | undefined
		const { enqueue, jobs, mutate } = start(
			async (job) => {
				signal = job.signal
				await new Promise<void>((done) => {
					go = done
				})
				outcome = job.commit(async () => 'done').catch((error: Error) => error.message)
				await outcome
			},
			{ leaseMs: 300 },
		)
		await enqueue('a')
		await until(() => signal !== undefined)
		await mutate((tx) => jobs.cancel(tx, 'test', 'a'))
		await until(() => signal?.aborted === true)
		go()
		await until(() => outcome !== undefined)
		expect(await outcome).toBe('The lease of the job test/a is lost.')
	})

	it('stay with a holder that runs for longer than a lease, as long as it sends heartbeats', async () => {
		let runs = 0
		const slow = async () => {
			runs += 1
			await pause(900)
		}
		const first = start(slow, { leaseMs: 200 })
		start(slow, { leaseMs: 200 })
		await first.enqueue('a')
		await until(async () => (await rows()).length === 0)
		expect(runs).toBe(1)
	})

	it('are shared by two runners without doing any of them twice', async () => {
		const done: string[] = []
		const handler = async (job: RunningJob) => {
			await pause(2)
			await job.commit(async () => {})
			done.push(job.key)
		}
		const first = start(handler, { concurrency: 8 })
		start(handler, { concurrency: 8 })
		await first.mutate(async (tx) => {
			for (let job = 0; job < 200; job += 1)
				await first.jobs.enqueue(tx, { kind: 'test', key: String(job), workspaceId: null })
		})
		await until(async () => (await rows()).length === 0)
		expect(done.length).toBe(200)
		expect(new Set(done).size).toBe(200)
	})

	it('recur on one of two runners, about once per interval', async () => {
		let runs = 0
		const beganMs = performance.now()
		for (let node = 0; node < 2; node += 1) {
			const { jobs } = open()
			jobs.every('tick', 100, async () => {
				runs += 1
			})
			jobs.start()
		}
		await until(() => runs >= 5)
		expect(runs).toBeLessThanOrEqual((performance.now() - beganMs) / 100 + 2)
		expect(await rows()).toHaveLength(1)
	})

	it('recur in each program if they are for it alone, also while another one holds a stored job of the kind', async () => {
		const runs = [0, 0]
		const lease = { lease_holder: 'another', run_at: Date.now() + 60_000 }
		await store()
			.db.insertInto('jobs')
			.values({ ...newJobRow, ...lease, id: '1', kind: 'own', key: '' })
			.execute()
		const programs = runs.map((_, node) => {
			const { jobs } = open()
			jobs.everyHere('own', 20, async () => {
				runs[node] = (runs[node] ?? 0) + 1
				throw new Error('A run that fails is repeated.')
			})
			jobs.start()
			return jobs
		})
		await until(() => runs.every((count) => count >= 3))
		await until(async () => (await rows()).length === 0)
		for (const jobs of programs) await jobs.close()
		const ended = [...runs]
		await pause(60)
		expect(runs).toEqual(ended)
	})

	it('come earlier when the clock was set back while no program ran, also if a killed one holds their lease', async () => {
		const ran: string[] = []
		const tomorrow = { ...newJobRow, run_at: Date.now() + 86_400_000 }
		await store()
			.db.insertInto('jobs')
			.values([
				{ ...tomorrow, id: '1', kind: 'recurs', key: '', lease_holder: 'killed' },
				{ ...tomorrow, id: '2', kind: 'test', key: 'waits', run_at: tomorrow.run_at + 50 },
			])
			.execute()
		const { jobs } = open()
		jobs.every('recurs', 1000, async () => void ran.push('recurs'))
		jobs.handle('test', async ({ key }) => void ran.push(key))
		jobs.start()
		await until(() => ran.includes('recurs') && ran.includes('waits'))
	})

	it('that a kill cut off are run at once after the restart if no other program can have them', async () => {
		const lease = { kind: 'test', lease_holder: 'killed', run_at: Date.now() + 30_000, attempts: 1, fence: 1 }
		await store()
			.db.insertInto('jobs')
			.values({ ...newJobRow, ...lease, id: '1', key: 'cut off' })
			.execute()
		const seen: unknown[] = []
		const { jobs, mutate } = open()
		jobs.every('recurs', 60_000, async () => {})
		const { promise: held, resolve: go } = Promise.withResolvers<void>()
		jobs.handle('test', async ({ key, attempt, fence }) => {
			seen.push([key, attempt, fence])
			await held
		})
		await mutate((tx) => jobs.enqueue(tx, { kind: 'test', key: 'own', workspaceId: null }))
		jobs.start()
		const cutOff = isPostgres(store().db) ? [] : [['cut off', 2, 2]]
		await until(() => seen.length === 1 + cutOff.length)
		await pause(200)
		// The lease that this program took while it started is not ended, so that job runs once.
		expect(seen.toSorted()).toEqual([...cutOff, ['own', 1, 1]])
		go()
		await until(async () => (await rows()).length === 2 - cutOff.length)
	})

	it('are released at once when the program stops, and the next one takes them', async () => {
		let attempt = 0
		const first = openTestRunner(store())
		first.jobs.handle('test', async ({ signal }) => {
			// The claim is visible in the store before this process knows of it, and the stop may come in between.
			signal.throwIfAborted()
			await new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))
		})
		first.jobs.start()
		await first.mutate((tx) => first.jobs.enqueue(tx, { kind: 'test', key: 'a', workspaceId: null }))
		await until(async () => (await rows())[0]?.lease_holder != null)
		await first.jobs.close()
		start(async (job) => {
			attempt = job.attempt
		})
		await until(() => attempt > 0)
		expect(attempt).toBe(1)
	})

	it('of a request run unless another request or process has their lease, and a kill leaves none for long', async () => {
		const [one, other] = [open(), open()]
		const lease = { kind: 'lease', key: 'a', workspaceId: null }
		const alone = ({ jobs }: typeof one) => jobs.alone(lease, async () => ({ ran: true }))
		const { promise, resolve } = Promise.withResolvers<{ first: true }>()
		const first = one.jobs.alone(lease, () => promise)
		await until(async () => (await rows()).length === 1)
		// A file of SQLite has one program, so there the others are from before a restart.
		const others = isPostgres(store().db) ? [one, other] : [one]
		expect(await Promise.all(others.map(alone))).toEqual(others.map(() => null))
		resolve({ first: true })
		expect([await first, await alone(other)]).toEqual([{ first: true }, { ran: true }])
		const failing = one.jobs.alone(lease, () => Promise.reject(new Error('no')))
		await expect(failing).rejects.toThrow('no')
		expect(await rows()).toEqual([])
		const killed = { ...newJobRow, id: 'k', kind: 'lease', key: 'a', lease_holder: 'killed' }
		const run_at = isPostgres(store().db) ? 1 : Date.now() + 30_000
		await store()
			.db.insertInto('jobs')
			.values({ ...killed, run_at })
			.execute()
		expect(await alone(one)).toEqual({ ran: true })
		expect(await rows()).toEqual([])
	})

	const workspace = { id: 'w', name: 'w', stdio_allowed: 0, created_at: 1, updated_at: 1 }

	it('are waited for by the deletion of their workspace, and by changes of their object, when they commit', async () => {
		const steps: string[] = []
		const { jobs, mutate } = start((job) =>
			job.commit(async () => {
				steps.push('commits')
				await pause(300)
				steps.push('committed')
			}),
		)
		const enqueue = () => mutate((tx) => jobs.enqueue(tx, { kind: 'test', key: 'a', workspaceId: 'w' }))
		await mutate(async (tx) => void (await tx.insertInto('workspaces').values(workspace).execute()))
		await enqueue()
		await until(() => steps.length > 0)
		await inChangeOf('w', 'a', () => mutate(async () => void steps.push('changes')))
		await enqueue()
		await until(() => steps.length > 3)
		await mutate(async (tx) => {
			await lockWorkspace(tx, 'w')
			steps.push('deletes')
			await tx.deleteFrom('workspaces').where('id', '=', 'w').execute()
		})
		expect(steps).toEqual(['commits', 'committed', 'changes', 'commits', 'committed', 'deletes'])
	})

	it('are deleted with their workspace', async () => {
		const { jobs, mutate } = open()
		await mutate(async (tx) => {
			await tx.insertInto('workspaces').values(workspace).execute()
			await jobs.enqueue(tx, { kind: 'test', key: 'a', workspaceId: 'w' })
			await tx.deleteFrom('workspaces').where('id', '=', 'w').execute()
		})
		expect(await rows()).toEqual([])
	})
})

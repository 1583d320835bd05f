import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ControlStore } from '../database/database.ts'
import { openTestPostgres, openTestSqlite } from '../database/testing.ts'
import { openTestRunner, until } from './testing.ts'

const kills = 10
const program = fileURLToPath(new URL('./holder.testing.ts', import.meta.url))

describe.each(['sqlite', 'postgres'] as const)('jobs of two processes (%s)', (kind) => {
	let opened: { store: ControlStore; where: string; end(): Promise<void> }
	beforeAll(async () => {
		if (kind === 'sqlite') {
			const { store, path, end } = await openTestSqlite()
			opened = { store, where: path, end }
		} else {
			const { store, url, end } = await openTestPostgres()
			opened = { store, where: url, end }
		}
		await sql`create table effects (holder text)`.execute(opened.store.db)
	})
	const children: ChildProcess[] = []
	afterEach(async () => {
		for (const child of children.splice(0)) {
			const ended = new Promise((done) => child.once('exit', done))
			child.kill('SIGKILL')
			if (child.exitCode === null && child.signalCode === null) await ended
		}
		await sql`delete from effects`.execute(opened.store.db)
	})
	afterAll(() => opened.end())

	const startHolder = async (name: string) => {
		const child = spawn(process.execPath, [program, name, opened.where], {
			stdio: ['ignore', 'pipe', 'inherit'],
		})
		children.push(child)
		let output = ''
		child.stdout.on('data', (chunk: Buffer) => {
			output += chunk.toString()
		})
		await until(() => output.includes('ready'))
		return {
			untilPrinted: (word: string) => until(() => output.includes(word)),
			kill: child.kill.bind(child),
		}
	}
	const enqueue = () => {
		const { jobs, mutate } = openTestRunner(opened.store)
		return mutate((tx) => jobs.enqueue(tx, { kind: 'effect', key: 'one', workspaceId: null }))
	}
	const effects = async () =>
		(await sql<{ holder: string }>`select holder from effects`.execute(opened.store.db)).rows.map(
			({ holder }) => holder,
		)

	it('a holder that stalls past its lease has no effect when it wakes, even while the next one is still working', async () => {
		const first = await startHolder('first')
		await enqueue()
		await first.untilPrinted('begun')
		first.kill('SIGSTOP')
		const second = await startHolder('second')
		await second.untilPrinted('begun')
		first.kill('SIGCONT')
		await first.untilPrinted('lost')
		await second.untilPrinted('done')
		expect(await effects()).toEqual(['second'])
		await until(async () => (await opened.store.db.selectFrom('jobs').selectAll().execute()).length === 0)
	})

	it.runIf(process.env.LONG_TESTS)(
		`jobs of processes killed at random moments are done once, ${kills} times`,
		async () => {
			for (let round = 0; round < kills; round += 1) {
				const first = await startHolder(`first ${round}`)
				await enqueue()
				await first.untilPrinted('begun')
				// The effect happens after 400 ms: some processes are killed before it, some during its commit, some after.
				await new Promise((done) => setTimeout(done, Math.random() * 600))
				first.kill('SIGKILL')
				const second = await startHolder(`second ${round}`)
				await until(async () => (await opened.store.db.selectFrom('jobs').selectAll().execute()).length === 0)
				second.kill('SIGKILL')
				expect((await effects()).filter((holder) => holder.endsWith(` ${round}`))).toHaveLength(1)
			}
		},
		kills * 60_000,
	)

	it('a job of a killed process is done by another one, once', async () => {
		const first = await startHolder('first')
		await enqueue()
		await first.untilPrinted('begun')
		first.kill('SIGKILL')
		const second = await startHolder('second')
		await second.untilPrinted('done')
		expect(await effects()).toEqual(['second'])
	})
})

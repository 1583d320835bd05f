import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import { createNotes, makeLogDirectory, openNotesRecorder, until } from './testing.ts'

const kills = process.env.LONG_TESTS ? 10 : 4
const program = fileURLToPath(new URL('./crash-writer.testing.ts', import.meta.url))

interface Ledger {
	sent: Set<string>
	begun: Set<string>
	kept: Set<string>
}

/** Lets a writer run for a while, kills it, and notes what was acknowledged to it. */
async function liveAndDie(directory: string, engine: TestStore, life: number, ledger: Ledger): Promise<void> {
	const child = spawn(process.execPath, [program, directory, String(life)], {
		stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
		serialization: 'advanced',
	})
	const inserts: Promise<void>[] = []
	child.on('message', (message) => inserts.push(relayInsert(child, engine, message as RelayedInsert)))
	let text = ''
	child.stdout?.on('data', (chunk) => {
		text += chunk
	})
	if (!child.stdout) throw new Error('The writer has no output')
	await once(child.stdout, 'data')
	await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
	const ended = once(child, 'close')
	child.kill('SIGKILL')
	await ended
	await Promise.all(inserts)
	for (const line of text.split('\n').slice(0, -1)) {
		const [what, id] = line.split(' ')
		ledger[what as keyof Ledger].add(id ?? '')
	}
}

interface RelayedInsert {
	id: number
	insert: Parameters<TestStore['store']['insertRowBinary']>[0]
}

async function relayInsert(
	child: ChildProcess,
	engine: TestStore,
	{ id, insert }: RelayedInsert,
): Promise<void> {
	const rows = Buffer.from(insert.rows as Uint8Array)
	const error = await engine.store.insertRowBinary({ ...insert, rows }).then(
		() => null,
		(reason) => String(reason),
	)
	if (child.connected) child.send({ id, error }, () => undefined)
}

test(`over ${kills} kill -9, no acknowledged row is lost or duplicated`, async () => {
	const engine = await startTestStore()
	const log = await makeLogDirectory()
	const ledger: Ledger = { sent: new Set(), begun: new Set(), kept: new Set() }
	try {
		await createNotes(engine.store, 'notes')
		for (let life = 0; life < kills; life++) await liveAndDie(log.directory, engine, life, ledger)
		const recorder = await openNotesRecorder({
			directory: log.directory,
			store: engine.store,
			segmentBytes: 64 * 1024,
		})
		await until(() => recorder.stats().pendingRows === 0)
		const stats = recorder.stats()
		await recorder.close(0)
		const rows = await engine.store.query<{ id: string; status: string }>('SELECT id, status FROM notes')
		const stored = new Map(rows.map(({ id, status }) => [id, status]))
		expect(ledger.kept.size).toBeGreaterThan(kills * 10)
		expect(rows.length - stored.size, 'doubled').toBe(0)
		expect(
			[...ledger.kept].filter((id) => stored.get(id) !== 'ok'),
			'acknowledged and lost',
		).toEqual([])
		expect(
			[...ledger.begun].filter((id) => !stored.has(id)),
			'announced and lost',
		).toEqual([])
		expect(
			[...stored.keys()].filter((id) => !ledger.sent.has(id)),
			'never sent',
		).toEqual([])
		expect(stats).toMatchObject({
			acknowledgedRows: rows.length,
			storedRows: rows.length,
			damagedRows: 0,
			damagedRecords: 0,
		})
	} finally {
		await engine.close()
		await log.remove()
	}
}, 60_000)

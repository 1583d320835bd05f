import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import type { TestPerson } from '../../accounts/identity/testing-people.ts'
import { manualClock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { singleProcess } from '../../platform/processes/processes.ts'
import { encodeExchange, encodeTexts, exchangeRowFormat, messageRowFormat } from '../exchanges/exchange.ts'
import { actorOfCall } from '../reads/derived-session.ts'
import { openShedOfAll } from '../recorder/across-processes.ts'
import { callJoins, traceLinks } from '../rollups/call-joins.ts'
import { rolledTables } from '../rollups/sum-tables.ts'
import { newSpanRow, type SpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { announceCall, startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { applyErasures, type ErasureContext } from './erase-rows.ts'
import { openErasures } from './erasures.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

describeWithStore('an erasure', (store) => {
	// Ahead of the log's clock, which is the real clock of the machine.
	const clock = manualClock(Date.now() + 600_000)
	let app: TestApp
	let erasures: ErasureContext
	let person: TestPerson
	beforeAll(async () => {
		app = await startTestApp(store(), {
			clock,
			open: (core) => {
				const { recorder, store: telemetry } = server
				const shedLogs = openShedOfAll({ ...core, recorder, processes: singleProcess }, 1)
				erasures = { ...core, shedLogs, telemetry, pauseMs: 0 }
				return openErasures({ ...erasures, ...core, processes: singleProcess, dataDir: server.logDirectory })
			},
		})
	})
	afterAll(() => app.close())
	beforeEach(async () => {
		person = await app.register()
	})

	let spans = 0
	async function record(name: string, trace: string, fields: Partial<SpanRow> = {}): Promise<void> {
		const row = newSpanRow({
			workspaceId: person.workspaceId,
			traceId: trace.repeat(32),
			spanId: (++spans).toString(16).padStart(16, '0'),
			name,
			source: 'gateway',
			kind: 'tool_call',
			startNs: BigInt(clock.nowMs() - 1000) * 1_000_000n,
			...fields,
		})
		await server.recorder.append({ workspaceId: row.workspaceId, count: 1, bytes: encodeSpanRow(row) })
	}
	async function log(body: string, more: object, resource = {}): Promise<void> {
		const timeUnixNano = String(BigInt(clock.nowMs() - 1000) * 1_000_000n)
		const logRecords = [{ timeUnixNano, body: { stringValue: body }, ...more }]
		const response = await fetch(`${server.url}/v1/logs`, {
			method: 'POST',
			headers: { authorization: `ingest ${person.workspaceId}`, 'content-type': 'application/json' },
			body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }),
		})
		expect(response.status).toBe(200)
	}
	const attribute = (key: string, stringValue: string) => ({ attributes: [{ key, value: { stringValue } }] })
	async function left(workspaceId = person.workspaceId): Promise<string[]> {
		await server.stored()
		const rows = await server.store.query<{ name: string }>(
			`SELECT name FROM spans WHERE workspace_id = {workspaceId:String}
			UNION ALL SELECT body AS name FROM logs WHERE workspace_id = {workspaceId:String}`,
			{ workspaceId },
		)
		return rows.map(({ name }) => name).sort()
	}
	const notAsked = () => Promise.reject(new Error('The store was asked.'))
	const erase = (body: object, token = person.token) =>
		app.request('POST', '/v1/telemetry/erasures', { token, body })
	const apply = async () => {
		await server.stored()
		await applyErasures(erasures, new AbortController().signal)
	}
	const list = async () =>
		(await app.request('GET', '/v1/telemetry/erasures', { token: person.token })).body.erasures

	it('of a session deletes its complete traces and everything else that names it; nothing else', async () => {
		await record('call', 'a', { sessionId: 's1', userId: 'jane' })
		await record('inside', 'a')
		await record('other session', 'b', { sessionId: 's2', userId: 'jane' })
		await log('in the trace', { traceId: 'a'.repeat(32) })
		await log('names it', attribute('gen_ai.conversation.id', 's1'))
		await log('names it too', attribute('langfuse.session.id', 's1'))
		await log('its resource names it', {}, attribute('session.id', 's1'))
		await log('names another', attribute('session.id', 's2'))
		const made = await erase({ session_id: 's1' })
		expect([made.status, made.body]).toMatchObject([
			202,
			{ session_id: 's1', user_id: null, status: 'pending' },
		])
		await apply()
		expect(await left()).toEqual(['names another', 'other session'])
		expect(await list()).toMatchObject([{ id: made.body.id, status: 'done' }])
	})

	it('of a derived session deletes its calls up to the pause that ends it, and a list shows the same calls', async () => {
		const minute = (minutes: number) => ({
			...{ agentId: 'a1', serverId: 's1' },
			startNs:
				BigInt(Math.floor(clock.nowMs() / 86_400_000) * 86_400_000 - 86_400_000 + minutes * 60_000) *
				1_000_000n,
		})
		await record('first', 'a', minute(10))
		await record('second', 'b', minute(35))
		await record('after a pause', 'c', minute(80))
		await record('of another', 'd', { ...minute(20), agentId: 'a2' })
		await server.stored()
		const [first] = await server.store.query<{ id: string }>(
			`SELECT concat('derived:', toString(toUnixTimestamp64Milli(started_at)), ':', hex(${actorOfCall})) AS id
			FROM spans WHERE workspace_id = {workspace:String} AND name = 'first'`,
			{ workspace: person.workspaceId },
		)
		const session_id = first?.id ?? ''
		const listed = await fetch(`${server.url}/v1/telemetry/spans?start=-3d&session_id=${session_id}`, {
			headers: { authorization: `key ${person.workspaceId}` },
		})
		const { spans } = (await listed.json()) as { spans: { name: string }[] }
		expect(spans.map(({ name }) => name)).toEqual(['second', 'first'])
		await erase({ session_id })
		await apply()
		expect(await left()).toEqual(['after a pause', 'of another'])
	})

	it('reaches the rollups: their rows are deleted, and their hours are read raw until they are rolled up again', async () => {
		await record('call', 'a', { sessionId: 's1' })
		await server.stored()
		const stamp = 'toStartOfHour(toDateTime(started_at)) AS hour, 1 AS version'
		for (const table of rolledTables)
			await server.store.command(
				`INSERT INTO ${table} (workspace_id, hour, version) SELECT workspace_id, ${stamp} FROM spans WHERE workspace_id = {workspace:String}`,
				{ workspace: person.workspaceId },
			)
		await erase({ session_id: 's1' })
		await apply()
		const [found] = await server.store.query<{ rows: string; ahead: number }>(
			`SELECT ${rolledTables.map((table) => `(SELECT count() FROM ${table} WHERE workspace_id = {workspace:String})`).join(' + ')} AS rows,
				max(marked_ms) > toUnixTimestamp64Milli(now64(3)) AS ahead FROM call_hours WHERE workspace_id = {workspace:String}`,
			{ workspace: person.workspaceId },
		)
		expect(found).toEqual({ rows: '0', ahead: 1 })
	})

	it.each([{ session_id: 's1' }, { user_id: 'jane' }])(
		'deletes what is known of its calls beyond their spans, and calls that take its name (%o)',
		async (subject) => {
			await record('call', 'a', { sessionId: 's1', userId: 'jane' })
			await record('named by it', 'b')
			await record('linked to it', 'c')
			await record('another', 'd')
			await server.stored()
			const of = `FROM spans WHERE workspace_id = {workspace:String}`
			const common = 'workspace_id, started_at, trace_id, span_id'
			for (const statement of [
				`INSERT INTO ${callJoins} (${common}, hour, session_id, user_id)
					SELECT ${common}, toStartOfHour(toDateTime(started_at)), if(name = 'named by it', 's1', ''), if(name = 'named by it', 'jane', '') ${of}`,
				`INSERT INTO ${traceLinks} (workspace_id, started_at, trace_id, linked_trace)
					SELECT workspace_id, started_at, trace_id, if(name = 'linked to it', unhex(repeat('a', 32)), trace_id) ${of}`,
			])
				await server.store.command(statement, { workspace: person.workspaceId })
			await erase(subject)
			await apply()
			const tracesIn = async (table: string) => {
				const rows = await server.store.query<{ trace: string }>(
					`SELECT DISTINCT lower(hex(trace_id)) AS trace FROM ${table} WHERE workspace_id = {workspace:String} ORDER BY trace`,
					{ workspace: person.workspaceId },
				)
				return rows.map(({ trace }) => trace[0]).join('')
			}
			expect(await Promise.all([callJoins, traceLinks, 'spans'].map(tracesIn))).toEqual(['cd', 'd', 'cd'])
		},
	)

	it.each([
		['', null],
		[', also when it is cut off in between', new Error('The program was killed.')],
	])(
		'deletes what was computed from its spans before they were deleted and is written after that%s',
		async (_, cut) => {
			await record('call', 'a', { sessionId: 's1', userId: 'jane' })
			await erase({ user_id: 'jane' })
			await server.stored()
			const at = { workspace: person.workspaceId, at: clock.nowMs() - 1000 }
			const call = `{workspace:String}, fromUnixTimestamp64Milli({at:Int64}, 'UTC'), unhex(repeat('a', 32)), unhex('01')`
			const late = [
				`INSERT INTO ${callJoins} (workspace_id, started_at, trace_id, span_id) SELECT ${call}`,
				`INSERT INTO ${traceLinks} (workspace_id, started_at, trace_id) SELECT ${call.replace(/, [^,]*$/, '')}`,
				`INSERT INTO ledger_versions (workspace_id, started_at, trace_id, span_id) SELECT ${call}`,
			]
			const command: ErasureContext['telemetry']['command'] = async (sql, parameters) => {
				await server.store.command(sql, parameters)
				// The last statement of an erasure that does not wait for them.
				if (!sql.includes('TABLE spans') || late.length === 0) return
				for (const statement of late.splice(0)) await server.store.command(statement, at)
				if (cut) throw cut
			}
			const telemetry = { query: server.store.query.bind(server.store), command }
			const apply = () => applyErasures({ ...erasures, telemetry }, new AbortController().signal)
			if (cut) await expect(apply()).rejects.toBe(cut)
			await apply()
			expect(late).toEqual([])
			const found = [callJoins, traceLinks, 'ledger_versions'].map(
				(table) => `SELECT trace_id FROM ${table} WHERE workspace_id = {workspace:String}`,
			)
			expect(await server.store.query(found.join(' UNION ALL '), at)).toEqual([])
		},
	)

	it('deletes the texts of its model calls, except those that other calls refer to', async () => {
		const part = (hash: string) => ({
			kind: 'message' as const,
			name: 'user',
			hash: hash.repeat(32),
			bytes: 1,
		})
		const call = async (sessionId: string, trace: string, hashes: string[]) => {
			await record(sessionId, trace, { sessionId, kind: 'model_call' })
			const [traceId, startNs] = [trace.repeat(32), BigInt(clock.nowMs() - 1000) * 1_000_000n]
			const lists = { toolUses: [], results: [], cacheMarks: 0, cacheSeconds: 0 }
			const { workspaceId } = person
			const ids = { workspaceId, traceId, spanId: trace.repeat(16), startNs, sessionId, userId: '' }
			const texts = hashes.map((hash) => ({ hash: hash.repeat(32), text: `text ${hash}` }))
			await server.recorder.append({
				...{ workspaceId, rowFormat: messageRowFormat, count: texts.length },
				bytes: encodeTexts(ids, texts, 30),
			})
			await server.recorder.append({
				...{ workspaceId, rowFormat: exchangeRowFormat, count: 1 },
				bytes: encodeExchange({ ...ids, ...lists, parts: hashes.map(part) }, 30),
			})
		}
		await call('s1', 'a', ['1', '2'])
		await call('s2', 'b', ['2', '3'])
		await erase({ session_id: 's1' })
		await apply()
		const texts = await server.store.query<{ text: string }>(
			'SELECT DISTINCT text FROM messages WHERE workspace_id = {workspace:String} ORDER BY text',
			{ workspace: person.workspaceId },
		)
		expect(texts.map(({ text }) => text)).toEqual(['text 2', 'text 3'])
		const rows = await server.store.query<{ session_id: string }>(
			'SELECT session_id FROM exchanges WHERE workspace_id = {workspace:String}',
			{ workspace: person.workspaceId },
		)
		expect(rows).toEqual([{ session_id: 's2' }])
	})

	it('of a person deletes all their sessions up to now, in this workspace only', async () => {
		const elsewhere = await app.register()
		await record('first', 'a', { userId: 'jane', sessionId: 's1' })
		await record('second', 'b', { userId: 'jane' })
		await record('of joe', 'c', { userId: 'joe' })
		await record('not ours', 'a', { userId: 'jane', workspaceId: elsewhere.workspaceId })
		await log('names her', attribute('user.id', 'jane'))
		await erase({ user_id: 'jane' })
		clock.advance(5000)
		await record('after', 'd', { userId: 'jane' })
		await apply()
		expect(await left()).toEqual(['after', 'of joe'])
		expect(await left(elsewhere.workspaceId)).toEqual(['not ours'])
	})

	it('is repeated once on a store that was restored from a backup', async () => {
		await record('call', 'a', { sessionId: 's1' })
		const { body } = await erase({ session_id: 's1' })
		await apply()
		await record('call', 'a', { sessionId: 's1', startNs: BigInt(clock.nowMs() - 2000) * 1_000_000n })
		await apply()
		expect(await left()).toEqual(['call'])
		// Between two comparisons only new erasures are applied; without any, the store is not queried.
		const away = { ...erasures, telemetry: { query: notAsked, command: notAsked } }
		await applyErasures(away, new AbortController().signal, undefined, false)
		await server.store.command(
			'ALTER TABLE erasures DELETE WHERE id = {id:String} SETTINGS mutations_sync = 2',
			{ id: body.id },
		)
		await apply()
		expect(await left()).toEqual([])
	})

	it("waits for the subject's running calls, delays no other call, and then leaves nothing in the log", async () => {
		const canary = `canary-of-${person.workspaceId}`
		const segments = () => readdirSync(server.logDirectory).filter((name) => name.endsWith('.seg'))
		const logHolds = () =>
			segments().some((name) => readFileSync(join(server.logDirectory, name)).includes(canary))
		const { workspaceId } = person
		const startMs = clock.nowMs() - 1000
		const [traceId, spanId] = ['e'.repeat(32), 'e'.repeat(16)]
		const ids = { workspaceId, traceId, spanId }
		const end = await announceCall(server, { ...ids, name: 'open', sessionId: canary, startMs })
		await record('call', 'a', { sessionId: canary })
		await log('names it', attribute('session.id', canary))
		await record('other', 'b', { sessionId: 's2' })
		await erase({ session_id: canary })
		await erase({ session_id: 's2' })
		await apply()
		const statusOf = async () => (await list()).map(({ status }: { status: string }) => status)
		expect((await statusOf()).sort()).toEqual(['done', 'pending'])
		expect(await left()).toEqual(['call', 'names it'])
		await end()
		await server.recorder.whenRowsMade()
		expect(logHolds()).toBe(true)
		await apply()
		expect(await statusOf()).toEqual(['done', 'done'])
		expect(await left()).toEqual([])
		expect(logHolds()).toBe(false)
	})

	it("is requested by admins, of one subject, and is audited without the subject's name", async () => {
		const member = await app.memberOf('member')
		expect((await erase({ user_id: 'x' }, member.token)).status).toBe(403)
		expect((await erase({})).status).toBe(400)
		expect((await erase({ user_id: 'x', session_id: 'y' })).status).toBe(400)
		await erase({ user_id: 'jane@example.com' })
		const audit = await app.request('GET', '/v1/audit?action=telemetry-erasures.create', {
			token: person.token,
		})
		expect(audit.body.audit).toMatchObject([{ target: { kind: 'user' } }])
		expect(audit.text).not.toContain('jane')
	})
})

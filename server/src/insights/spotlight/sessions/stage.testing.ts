import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestApp, type TestApp } from '../../../accounts/identity/testing.ts'
import type { startTestStore } from '../../../platform/clickhouse/testing.ts'
import { type Clock, systemClock } from '../../../platform/clock.ts'
import type { ControlStore } from '../../../platform/database/database.ts'
import { silentLog } from '../../../platform/log.ts'
import { spanInsert } from '../../../telemetry/blocks/native.testing.ts'
import { encodeSpanBlock } from '../../../telemetry/blocks/span-block.ts'
import { newSpanRow, openRecorder, openRedactionRules, type SpanRow } from '../../../telemetry/index.ts'
import { spanBlockFormat } from '../../../telemetry/span-columns.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { openSharing, openSpotlight } from '../spotlight.ts'

export type SessionStage = Awaited<ReturnType<typeof stageSessions>>

export const startMs = Date.parse('2026-06-01T10:00:00Z')

/** Spotlight on a real engine and a real control store. */
export async function stageSessions(store: ControlStore, clock: Clock = systemClock) {
	const engine = await startJoinedStore()
	const log = await startLog(engine.store)
	const { recorder } = log
	let queries = 0
	const query: typeof engine.store.query = (...asked) => {
		queries += 1
		return engine.store.query(...asked)
	}
	const app = await startTestApp(store, {
		clock,
		open: (core) => {
			const spotlight = openSpotlight({ ...core, telemetry: engine.store, recorder })
			const sharing = openSharing({
				...core,
				telemetry: { query },
				recorder,
				joinEqual: spotlight.joinEqual,
				publicAddress: () => 'http://signalbox.example',
				redactContent: openRedactionRules(core).redactContent,
			})
			return { operations: [...spotlight.operations, ...sharing.operations], routes: spotlight.routes }
		},
	})
	let batches = 0
	return {
		app,
		/** How often the engine was asked by links. */
		queries: () => queries,
		/** Inserts calls of the operator's workspace into the engine, at seconds after the start. */
		record: (...calls: ({ atS: number } & Partial<SpanRow>)[]) =>
			engine.store.insertRowBinary({
				...spanInsert(calls.map((call, at) => callOf(app, call, at))),
				deduplicationToken: `calls-${++batches}`,
			}),
		/** Acknowledges such calls without storing them while a test runs. */
		acknowledge: (...calls: ({ atS: number } & Partial<SpanRow>)[]) =>
			recorder.append({
				workspaceId: app.owner.workspaceId,
				count: calls.length,
				rowFormat: spanBlockFormat,
				bytes: encodeSpanBlock(calls.map((call, at) => callOf(app, call, at))),
			}),
		/** Stores what is acknowledged. */
		storeAll: async () => {
			recorder.storeSoon()
			while (recorder.stats().pendingRows > 0) await sleep(5)
		},
		/** The content of a model call: parts as `kind:role:text`, each stored under the hash of its text. */
		carry: (spanId: string, atS: number, pieces: readonly string[]) =>
			carry(engine.store, app.owner.workspaceId, spanId, atS, pieces),
		close: async () => {
			await app.close()
			await log.close()
			await engine.close()
		},
	}
}

async function startLog(store: Engine) {
	const directory = await mkdtemp(join(tmpdir(), 'signalbox-sessions-'))
	const recorder = await openRecorder({
		...{ directory, store, log: silentLog, clock: systemClock },
		keyOf: (name) => Buffer.from(name.padEnd(64).slice(-32)),
		tuning: { batchDelayMs: 600_000 },
	})
	return {
		recorder,
		close: async () => {
			await recorder.close(5000)
			await rm(directory, { recursive: true, force: true })
		},
	}
}

const traceId = 'a'.repeat(32)

function callOf(app: TestApp, { atS, ...fields }: { atS: number } & Partial<SpanRow>, at: number): SpanRow {
	return newSpanRow({
		workspaceId: app.owner.workspaceId,
		traceId,
		spanId: (atS * 1000 + at).toString(16).padStart(16, '0'),
		name: 'n',
		source: 'gateway',
		kind: 'tool_call',
		status: 'ok',
		startNs: BigInt(startMs + atS * 1000) * 1_000_000n,
		durationNs: 1_000_000_000n,
		...fields,
	})
}

type Engine = Awaited<ReturnType<typeof startTestStore>>['store']

async function carry(
	engine: Engine,
	workspaceId: string,
	spanId: string,
	atS: number,
	pieces: readonly string[],
): Promise<void> {
	const parts = pieces.map((piece) => {
		const [kind, name, ...text] = piece.split(':')
		return { kind, name, text: text.join(':') }
	})
	const at = "fromUnixTimestamp64Milli({at:Int64}, 'UTC')"
	const shared = { workspace: workspaceId, at: startMs + atS * 1000 }
	const texts = { ...shared, texts: parts.map(({ text }) => text) }
	await engine.command(
		`INSERT INTO messages (workspace_id, retention_days, recorded_at, hash, text)
		SELECT {workspace:String}, 30, ${at}, MD5(part), part FROM (SELECT arrayJoin({texts:Array(String)}) AS part)`,
		texts,
	)
	await engine.command(
		`INSERT INTO exchanges (workspace_id, retention_days, recorded_at, trace_id, span_id, session_id, part_kind, part_name, part_hash, part_bytes)
		SELECT {workspace:String}, 30, ${at}, unhex({trace:String}), unhex({span:String}), 's1', {kinds:Array(String)}, {names:Array(String)},
			arrayMap(part -> MD5(part), {texts:Array(String)}), arrayMap(part -> toUInt32(length(part)), {texts:Array(String)})`,
		{
			...texts,
			trace: traceId,
			span: spanId,
			kinds: parts.map(({ kind }) => kind),
			names: parts.map(({ name }) => name),
		},
	)
}

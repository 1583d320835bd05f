import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scopes } from '@signalbox/contract'
import type { TelemetryStore } from '../platform/clickhouse/store.ts'
import { systemClock } from '../platform/clock.ts'
import { createSealer } from '../platform/crypto/seal.ts'
import { Problem } from '../platform/errors.ts'
import { createApi } from '../platform/http/api.ts'
import { createIngress } from '../platform/http/ingress.ts'
import { listenHttp2 } from '../platform/http/listen-http2.ts'
import { listen } from '../platform/http/listener.ts'
import { LiveRequests } from '../platform/http/live-requests.ts'
import type { Principal } from '../platform/http/principal.ts'
import { refuseWithProblem } from '../platform/http/refusals.ts'
import type { Route } from '../platform/http/route.ts'
import { silentLog } from '../platform/log.ts'
import { encodeSpanBlock } from './blocks/span-block.ts'
import { grpcOnly } from './otlp/grpc.ts'
import { openRecorder } from './recorder/open-recorder.ts'
import type { LogRecorder } from './recorder/recorder.ts'
import { makeRowsBy, testKeyOf } from './recorder/testing.ts'
import { spanBlockFormat } from './span-columns.ts'
import { newSpanRow, type SpanRow } from './span-row.ts'
import { startTelemetryStore } from './store.testing.ts'
import { openTelemetryApi } from './telemetry-api.ts'

export interface TelemetryServer {
	url: string
	/** Host and port of OTLP/gRPC. */
	grpc: string
	recorder: LogRecorder
	/** Directory of the log. */
	logDirectory: string
	store: TelemetryStore
	routes: readonly Route[]
	/** Refuses credentials of this workspace from now on, and cuts its running requests. */
	revoke(workspaceId: string): void
	/** Allows the credentials of this workspace at other addresses only. */
	allowElsewhere(workspaceId: string): void
	/** Resolves when everything acknowledged is in the store. */
	stored(): Promise<void>
	close(): Promise<void>
}

/**
 * Telemetry with the real engine, the real log and a real port. Credentials are `ingest <workspace>`, `key <workspace>` and `operator
 * <workspace>`, since real tokens belong to the identity area.
 */
export async function startTelemetryServer({
	retentionDays = 30,
	batchDelayMs = 20,
	...options
}: {
	retentionDays?: number
	/** How long rows wait in the log. */
	batchDelayMs?: number
	bodyLimitBytes?: number
} = {}): Promise<TelemetryServer> {
	const started = await startTelemetryStore()
	const logDirectory = await mkdtemp(join(tmpdir(), 'signalbox-telemetry-'))
	const recorder = await openRecorder({
		directory: logDirectory,
		store: started.store,
		log: silentLog,
		clock: systemClock,
		keyOf: testKeyOf,
		tuning: { batchDelayMs },
	})
	recorder.makeRows(makeSpans)
	const revoked = new Set<string>()
	const elsewhere = new Set<string>()
	const liveRequests = new LiveRequests()
	const telemetry = openTelemetryApi({
		recorder,
		telemetry: started.store,
		sealer: createSealer(Buffer.alloc(32, 7)),
		clock: systemClock,
		identity: {
			stillValid: ({ workspaceId }) => (revoked.has(workspaceId) ? new Problem('unauthenticated') : null),
		},
		retention: { daysOf: () => retentionDays },
		redaction: { rulesOf: () => undefined },
		...options,
	})
	const api = await createApi(telemetry.operations, silentLog)
	const routes = [...api.routes, ...telemetry.routes]
	const ingress = createIngress({
		routes,
		authenticate: (request) => principalOf(request.headers.authorization ?? ''),
		refusals: {
			api: refuseWithProblem,
			page: refuseWithProblem,
			mcp: refuseWithProblem,
			model: refuseWithProblem,
			otlp: telemetry.refuse,
		},
		stillAllowedFrom: ({ workspaceId }) =>
			elsewhere.has(workspaceId) ? new Problem('address_not_allowed') : null,
		checkOrigin: () => null,
		onDenied: () => undefined,
		liveRequests,
		log: silentLog,
	})
	const listener = await listen('127.0.0.1', 0, ingress)
	const grpc = await listenHttp2({ host: '127.0.0.1', port: 0, setting: '' }, grpcOnly(ingress))
	return {
		url: `http://127.0.0.1:${listener.port}`,
		grpc: `127.0.0.1:${grpc.port}`,
		recorder,
		logDirectory,
		store: started.store,
		routes,
		revoke: (workspaceId) => {
			revoked.add(workspaceId)
			liveRequests.recheck()
		},
		allowElsewhere: (workspaceId) => void elsewhere.add(workspaceId),
		stored: () => untilStored(recorder),
		close: async () => {
			await Promise.all([listener.close(0), grpc.close(0)])
			await telemetry.close()
			await recorder.close(5000)
			await api.close()
			await started.close()
			await rm(logDirectory, { recursive: true, force: true })
		},
	}
}

/** Announces a call whose row will have these texts; returns a function that ends it. */
export async function announceCall(
	{ recorder }: Pick<TelemetryServer, 'recorder'>,
	row: Pick<SpanRow, 'workspaceId' | 'traceId' | 'spanId' | 'name'> & { sessionId?: string; startMs: number },
): Promise<() => Promise<void>> {
	const intent = await recorder.announce('tool', row.workspaceId, Buffer.from(JSON.stringify(row)))
	return () => recorder.conclude(intent, Buffer.from('ok'))
}

const makeSpans = makeRowsBy((announced, ended) => {
	const { startMs, ...row } = JSON.parse(announced)
	const status = ended === '' ? 'interrupted' : 'ok'
	const startNs = BigInt(startMs) * 1_000_000n
	const span = newSpanRow({ ...row, source: 'gateway', kind: 'tool_call', startNs, status })
	return { rowFormat: spanBlockFormat, count: 1, bytes: encodeSpanBlock([span]) }
})

function principalOf(authorization: string): Principal | null {
	const [kind, workspaceId] = authorization.replace(/^Bearer /, '').split(' ') as [string, string?]
	if (workspaceId === undefined) return null
	const shared = { keyId: `key-${workspaceId}`, name: 'test', workspaceId }
	if (kind === 'operator') return operatorOf(workspaceId)
	return kind === 'ingest'
		? { kind: 'ingest_token', ...shared }
		: { kind: 'platform_key', ...shared, scopes: new Set(scopes) }
}

function operatorOf(workspaceId: string): Principal {
	const who = { userId: 'u', email: 'operator@example.com', sessionId: 's' }
	return { kind: 'user', ...who, workspaceId, role: 'owner', operator: true }
}

async function untilStored(recorder: LogRecorder): Promise<void> {
	for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
		if (recorder.stats().pendingRows === 0) return
		await new Promise((resolve) => setTimeout(resolve, 5))
	}
	throw new Error(`The rows were not stored within 60 s: ${JSON.stringify(recorder.stats())}`)
}

import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { atIntervals, type Clock } from '../../platform/clock.ts'
import { Problem, tooLarge } from '../../platform/errors.ts'
import { freeBytes } from '../../platform/free-bytes.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import type { LiveTail } from '../live/live-tail.ts'
import { logRowFormat } from '../logs/log-columns.ts'
import { pointRowFormat } from '../metrics/point-columns.ts'
import type { Recorder, RecorderStats } from '../recorder/recorder.ts'
import type { RedactionView } from '../redaction/rules/redaction-rules.ts'
import type { RetentionView } from '../retention/retention.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { answerSuccess, successMessage } from './answers.ts'
import { type DecodeOptions, ExpandsTooFar, Rejected } from './decoded.ts'
import { type DecodedBody, Decoder } from './decoder.ts'
import { answerMessage, deadlineOf, isGrpc, receiveMessage, refuseLate, withDeadline } from './grpc.ts'
import type { IngestCounts } from './ingest-counts.ts'
import { type BodyLimits, InFlight, receiveBody } from './receive-body.ts'
import { type BodyForm, grpcPrefix, requireEncoding, type Signal, signalNames, signals } from './signals.ts'
import { Malformed } from './wire-reader.ts'

interface OtlpDependencies {
	recorder: Pick<Recorder, 'append'> & { stats(): Backlog }
	live: Pick<LiveTail, 'publishEncoded'>
	clock: Clock
	/** Checks the sender again before its spans are recorded, so that a slow upload does not succeed after a revocation. */
	stillValid(principal: Principal): Problem | null
	/** The retention of what arrives; anything older is rejected. */
	retention: RetentionView
	/** The workspace's own redaction rules, which apply in addition to the built-in detectors. */
	redaction: RedactionView
	counts: IngestCounts
	/** Maximum size of one body after decompression. Default: 64 MiB, as the protocol recommends. */
	bodyLimitBytes?: number
}

const defaultBodyLimitBytes = 64 * 1024 * 1024
/** In units of the largest body: limits all bodies together, so that parallel large ones cannot fill the memory. */
const inFlightBodies = 4
/** Just below what the log accepts in one append. A body of maximum size becomes about 100 MiB of rows. */
const maxRowsBytes = 120 * 1024 * 1024
const rowFormats: Readonly<Record<Signal, number>> = {
	traces: spanBlockFormat,
	metrics: pointRowFormat,
	logs: logRowFormat,
}
const dayMs = 24 * 60 * 60 * 1000

/** The paths of OTLP/HTTP, and those to which existing SDKs send. */
const paths: Readonly<Record<string, readonly [path: string, signal: Signal]>> = {
	'otlp.traces': ['/v1/traces', 'traces'],
	'otlp.metrics': ['/v1/metrics', 'metrics'],
	'otlp.logs': ['/v1/logs', 'logs'],
	'otlp.ingest_http_traces': ['/telemetry/ingest_http/traces', 'traces'],
	'otlp.ingest_http_metrics': ['/telemetry/ingest_http/metrics', 'metrics'],
	'otlp.ingest_http_logs': ['/telemetry/ingest_http/logs', 'logs'],
	'otlp.ingest_http': ['/telemetry/ingest_http', 'traces'],
	'otlp.langfuse_traces': ['/api/public/otel/v1/traces', 'traces'],
}

/** The OTLP/HTTP receiver. 200 means that what was sent is on disk. */
export function otlpRoutes(dependencies: OtlpDependencies): { routes: Route[]; close(): Promise<void> } {
	const receiver = new Receiver(dependencies)
	const routes = Object.entries(paths).map(
		([id, [path, signal]]): Route => ({
			id,
			method: 'POST',
			path,
			access: { kinds: ['ingest_token'] },
			family: 'otlp',
			handle: (request, response, context) => receiver.receive(request, response, { signal, context }),
		}),
	)
	return { routes: [...routes, ...grpcRoutes(receiver)], close: () => receiver.close() }
}

function grpcRoutes(receiver: Receiver): Route[] {
	return signalNames.map((signal) => ({
		id: `otlp.grpc_${signal}`,
		method: 'POST',
		path: `/${grpcPrefix}${signals[signal].service}/Export`,
		access: { kinds: ['ingest_token'] },
		family: 'otlp',
		handle: (request, response, context) => receiver.receiveCall(request, response, { signal, context }),
	}))
}

class Receiver {
	readonly #dependencies: OtlpDependencies
	readonly #limitBytes: number
	readonly #inFlight: InFlight
	readonly #decoder = new Decoder()
	readonly #trouble: Trouble

	constructor(dependencies: OtlpDependencies) {
		this.#dependencies = dependencies
		this.#limitBytes = dependencies.bodyLimitBytes ?? defaultBodyLimitBytes
		this.#inFlight = new InFlight(inFlightBodies * this.#limitBytes)
		this.#trouble = new Trouble(this.#limitBytes, () => dependencies.recorder.stats())
	}

	async receive(
		request: IncomingMessage,
		response: ServerResponse,
		{ signal, context }: { signal: Signal; context: RequestContext },
	): Promise<void> {
		const form = { signal, encoding: requireEncoding(request) }
		const decoded = await this.#take(form, context, (limits) => {
			// Checked before the body is read. The announced length is a lower bound for a compressed body.
			this.#decoder.queue.requireTurn(Number(request.headers['content-length'] ?? 0))
			return receiveBody(request, limits)
		})
		answerSuccess(request, response, form, decoded)
	}

	/** Handles a unary gRPC call. */
	async receiveCall(
		request: IncomingMessage,
		response: ServerResponse,
		{ signal, context }: { signal: Signal; context: RequestContext },
	): Promise<void> {
		if (!isGrpc(request))
			throw new Problem('unsupported_media_type', 'This path takes gRPC over HTTP/2, on the port for it.')
		const form = { signal, encoding: 'protobuf' } as const
		const work = this.#take(form, context, (limits) => receiveMessage(request, limits))
		const decoded = await withDeadline(deadlineOf(request), work, () => refuseLate(response))
		answerMessage(response, successMessage(signal, decoded))
	}

	/** Receives, decodes and records a body; resolves when everything that can be stored is on disk. Throws only Problems. */
	async #take(
		form: BodyForm,
		context: RequestContext,
		receive: (limits: BodyLimits) => Promise<Buffer<ArrayBuffer>>,
	): Promise<DecodedBody> {
		const principal = principalIn(context)
		const hold = this.#inFlight.hold()
		try {
			const body = await receive({ limitBytes: this.#limitBytes, hold })
			this.#decoder.queue.requireTurn(body.length)
			const options = this.#decodeOptions(principal, form.signal)
			const decoded = await this.#decoder.decode(body, form, options)
			const refused = this.#dependencies.stillValid(principal) ?? context.refusal()
			if (refused) throw refused
			await this.#record(principal, form.signal, decoded)
			return decoded
		} catch (error) {
			throw this.#trouble.toProblem(error)
		} finally {
			hold.release()
		}
	}

	close(): Promise<void> {
		this.#trouble.close()
		return this.#decoder.close()
	}

	/** An exporter's retry has the same bytes as the first attempt; it is neither recorded nor shown again. */
	async #record(
		{ workspaceId }: Principal,
		signal: Signal,
		{ rows, count, digest, rejections, calls }: DecodedBody,
	): Promise<void> {
		const { counts } = this.#dependencies
		// Calls are recorded first: after a crash between the two, a retry is recognised by the logs.
		if (calls) await this.#recordCalls(workspaceId, calls, digest)
		if (count === 0) return counts.drop(signal, rejections)
		const key = hash('sha256', `${workspaceId} ${signal} ${digest}`).slice(0, 32)
		const recorded = { workspaceId, rowFormat: rowFormats[signal], count, bytes: rows, key }
		const isNew = await this.#dependencies.recorder.append(recorded)
		counts.accept(signal, count, isNew)
		counts.drop(signal, rejections)
		if (isNew && signal === 'traces') this.#dependencies.live.publishEncoded(workspaceId, rows, count)
		freeBytes(rows)
	}

	/** Records the calls that log records report. */
	async #recordCalls(
		workspaceId: string,
		{ rows, count }: { rows: Buffer<ArrayBuffer>; count: number },
		digest: string,
	): Promise<void> {
		const key = hash('sha256', `${workspaceId} calls ${digest}`).slice(0, 32)
		const recorded = { workspaceId, rowFormat: rowFormats.traces, count, bytes: rows, key }
		const isNew = await this.#dependencies.recorder.append(recorded)
		if (isNew) this.#dependencies.live.publishEncoded(workspaceId, rows, count)
		freeBytes(rows)
	}

	#decodeOptions(principal: Principal, signal: Signal): DecodeOptions {
		const { workspaceId } = principal
		const { clock, retention, redaction } = this.#dependencies
		const rules = redaction.rulesOf(
			workspaceId,
			principal.kind === 'ingest_token' ? principal.keyId : undefined,
		)
		const retentionDays = retention.daysOf(workspaceId, signal)
		const nowMs = clock.nowMs()
		return {
			workspaceId,
			retentionDays,
			...(signal === 'logs' && { spanRetentionDays: retention.daysOf(workspaceId, 'traces') }),
			oldestNs: toNs(Math.max(0, nowMs - retentionDays * dayMs)),
			newestNs: toNs(nowMs + dayMs),
			nowNs: toNs(nowMs),
			maxRowsBytes,
			...(rules && { rules }),
		}
	}
}

function toNs(ms: number): bigint {
	return BigInt(ms) * 1_000_000n
}

/** Rows in the store, and rows waiting for it. */
type Backlog = Pick<RecorderStats, 'storedRows' | 'pendingRows'>

const sampleEveryMs = 1000
/** Weight of the newest second in the rate. */
const freshness = 0.3
const shortestS = 1
/** Also the answer if nothing is stored at all, because it is then unknown how long the store will be unavailable. */
const longestS = 30
/** Free space for this share of the backlog makes a retry worthwhile. */
const share = 0.1

/** How long the log needs until it has space again, estimated from the rate at which the store took rows in the last seconds. */
export class DrainTime {
	readonly #stats: () => Backlog
	readonly #stopSampling: () => void
	#storedRows: number
	#rowsPerS = 0

	constructor(stats: () => Backlog, everyMs = sampleEveryMs) {
		this.#stats = stats
		this.#storedRows = stats().storedRows
		this.#stopSampling = atIntervals(everyMs, () => this.#sample(everyMs / 1000))
	}

	/** Whole seconds from 1 to 30. */
	seconds(): number {
		const { pendingRows } = this.#stats()
		if (pendingRows === 0) return shortestS
		const seconds = (pendingRows * share) / this.#rowsPerS
		return Math.ceil(Math.min(longestS, Math.max(shortestS, seconds)))
	}

	close(): void {
		this.#stopSampling()
	}

	#sample(elapsedS: number): void {
		const { storedRows } = this.#stats()
		const rate = (storedRows - this.#storedRows) / elapsedS
		this.#rowsPerS += (rate - this.#rowsPerS) * freshness
		this.#storedRows = storedRows
	}
}

/** Converts errors to problems that tell an exporter whether and when to retry. */
class Trouble {
	readonly #limitBytes: number
	readonly #drain: DrainTime

	constructor(limitBytes: number, stats: () => Backlog) {
		this.#limitBytes = limitBytes
		this.#drain = new DrainTime(stats)
	}

	/** Exporters drop what a 500 refuses, so our own errors are a 503. */
	toProblem(error: unknown): Problem {
		if (error instanceof Malformed || error instanceof Rejected) return badBody(error.message)
		if (error instanceof ExpandsTooFar)
			return new Problem(
				'body_too_large',
				`What is sent takes too much room: the limit of a body is ${this.#limitBytes} bytes.`,
			)
		const problem = error instanceof Problem ? error : unrecorded(error)
		if (problem.code === 'body_too_large') return tooLarge(this.#limitBytes)
		if (problem.status === 503) problem.headers['retry-after'] = String(this.#drain.seconds())
		return problem
	}

	close(): void {
		this.#drain.close()
	}
}

function unrecorded(cause: unknown): Problem {
	return new Problem('store_unavailable', 'The telemetry could not be recorded.', { cause })
}

function badBody(detail: string): Problem {
	return new Problem('invalid_request', detail, { errors: [{ pointer: '', code: 'malformed', detail }] })
}

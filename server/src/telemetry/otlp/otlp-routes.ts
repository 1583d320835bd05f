import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import { freeBytes } from '../../platform/free-bytes.ts'
import { type Principal, principalIn, type RequestContext, type Route } from '../../platform/http/index.ts'
import type { LiveTail } from '../live/live-tail.ts'
import { logRowFormat } from '../logs/log-columns.ts'
import { pointRowFormat } from '../metrics/point-columns.ts'
import type { Recorder } from '../recorder/recorder.ts'
import type { RedactionView } from '../redaction/rules/redaction-rules.ts'
import type { RetentionView } from '../retention/retention.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { answerSuccess, successMessage } from './answers.ts'
import type { BodyForm, DecodedBody } from './decode-body.ts'
import type { DecodeOptions } from './decoded.ts'
import { Decoder } from './decoder.ts'
import { answerMessage, deadlineOf, isGrpc, receiveMessage, refuseLate, withDeadline } from './grpc.ts'
import type { IngestCounts } from './ingest-counts.ts'
import { type BodyLimits, InFlight, receiveBody } from './receive-body.ts'
import { grpcPrefix, requireEncoding, type Signal, signalNames, signals } from './signals.ts'
import { type Backlog, Trouble } from './trouble.ts'

interface OtlpDependencies {
	recorder: Pick<Recorder, 'append'> & { stats(): Backlog }
	live: Pick<LiveTail, 'publishEncoded'>
	clock: Clock
	/** Judges the sender again before its spans are recorded: a slow upload outlives no revocation. */
	stillValid(principal: Principal): Problem | null
	/** How long what comes is kept; what is older than that is rejected. */
	retention: RetentionView
	/** What is taken out of it beside what the built-in detectors find. */
	redaction: RedactionView
	counts: IngestCounts
	/** The most bytes of one body after decompression. Default 64 MiB, as the protocol recommends. */
	bodyLimitBytes?: number
}

const defaultBodyLimitBytes = 64 * 1024 * 1024
/** Bodies together, so that parallel large ones cannot fill the memory. */
const inFlightBodies = 4
/** Just below what the log takes at once; a body of the limit becomes about 100 MiB of rows. */
const maxRowsBytes = 120 * 1024 * 1024
const rowFormats: Readonly<Record<Signal, number>> = {
	traces: spanBlockFormat,
	metrics: pointRowFormat,
	logs: logRowFormat,
}
const dayMs = 24 * 60 * 60 * 1000

/** The paths of OTLP/HTTP and those that existing SDKs send to. */
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

/** The OTLP/HTTP receiver: 200 means that what was sent is on disk. */
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
		const decoded = await this.#take(form, principalIn(context), (limits) => receiveBody(request, limits))
		answerSuccess(request, response, form, decoded)
	}

	/** A unary call of gRPC. */
	async receiveCall(
		request: IncomingMessage,
		response: ServerResponse,
		{ signal, context }: { signal: Signal; context: RequestContext },
	): Promise<void> {
		if (!isGrpc(request))
			throw new Problem('unsupported_media_type', 'This path takes gRPC over HTTP/2, on the port for it.')
		const form = { signal, encoding: 'protobuf' } as const
		const work = this.#take(form, principalIn(context), (limits) => receiveMessage(request, limits))
		const decoded = await withDeadline(deadlineOf(request), work, () => refuseLate(response))
		answerMessage(response, successMessage(signal, decoded))
	}

	/** Receives, decodes and records; resolves when what could be kept is on disk. Throws Problems alone. */
	async #take(
		form: BodyForm,
		principal: Principal,
		receive: (limits: BodyLimits) => Promise<Buffer<ArrayBuffer>>,
	): Promise<DecodedBody> {
		const hold = this.#inFlight.hold()
		try {
			const body = await receive({ limitBytes: this.#limitBytes, hold })
			const decoded = await this.#decoder.decode(body, form, this.#decodeOptions(principal, form.signal))
			const refused = this.#dependencies.stillValid(principal)
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

	/** An exporter's retry has the bytes of the first attempt, and is neither recorded nor shown again. */
	async #record(
		{ workspaceId }: Principal,
		signal: Signal,
		{ rows, count, digest, rejections, calls }: DecodedBody,
	): Promise<void> {
		const { counts } = this.#dependencies
		// They come first: a retry after a crash between the two is known by the logs.
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

	/** The calls that log records tell of. */
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
